//! Reads the relative form.

use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};

use crate::store::facts::delta_codec::{Flaw, LastValues, NameCode, ROOT};

pub(super) struct DeltaReader<'de> {
    bytes: &'de [u8],
    places: LastValues,
}

impl<'de> DeltaReader<'de> {
    pub(super) fn new(bytes: &'de [u8]) -> DeltaReader<'de> {
        DeltaReader { bytes, places: LastValues::default() }
    }

    pub(super) fn root(&mut self) -> ReadCursor<'_, 'de> {
        ReadCursor { reader: self, place: ROOT }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    fn byte(&mut self) -> Result<u8, Flaw> {
        let (byte, rest) = self.bytes.split_first().ok_or_else(cut_short)?;
        self.bytes = rest;
        Ok(*byte)
    }

    fn take(&mut self, length: usize) -> Result<&'de [u8], Flaw> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or_else(cut_short)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Flaw> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).map_err(|_| Flaw("a number is too large".into()));
            }
        }
        Err(Flaw("a number is too long".into()))
    }

    fn eight_bytes(&mut self) -> Result<[u8; 8], Flaw> {
        self.take(8)?.try_into().map_err(|_| cut_short())
    }
}

fn cut_short() -> Flaw {
    Flaw("it is cut short".into())
}

/// A place to read from.
pub(super) struct ReadCursor<'a, 'de> {
    reader: &'a mut DeltaReader<'de>,
    place: usize,
}

impl<'a, 'de> ReadCursor<'a, 'de> {
    /// The first place of what is in the value.
    fn inner(self, count: usize) -> ReadCursor<'a, 'de> {
        let place = self.reader.places.inner(self.place, count);
        ReadCursor { reader: self.reader, place }
    }

    fn here(&mut self) -> ReadCursor<'_, 'de> {
        ReadCursor { reader: self.reader, place: self.place }
    }

    /// Reads the parts of a value that have a place each; `keys` are what they are called, if
    /// anything.
    fn fields<V: Visitor<'de>>(
        self,
        keys: &'static [&'static str],
        count: usize,
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        let outer = self.place;
        let at = self.inner(count);
        // Nearly always it is the same list, which need not be compared.
        let is_called = |known: &[&str]| std::ptr::eq(known, keys) || known == keys;
        if !at.reader.places.places[outer].keys.is_some_and(is_called) {
            at.reader.places.places[outer].keys = Some(keys);
            for number in 0..count {
                at.reader.places.call(at.place + number, keys.get(number).copied().unwrap_or_default());
            }
        }
        visitor.visit_seq(FieldAccess { at, left: count })
    }

    fn u32(self) -> Result<u32, Flaw> {
        let written = self.reader.number()?;
        let Some(numbered) = self.reader.places.places[self.place].numbered else {
            return Ok(self.reader.places.value(self.place, written));
        };
        let code = if written == 0 { NameCode::New(self.reader.number()?) } else { NameCode::Uses(written) };
        self.reader.places.numbered[numbered as usize].name(code).ok_or_else(|| Flaw("no such name".into()))
    }
}

/// Methods that read a number of up to 32 bits.
macro_rules! numbers {
    ($($method:ident $visit:ident $kind:ty;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
            visitor.$visit(self.u32()? as $kind)
        })*
    };
}

impl<'de> de::Deserializer<'de> for ReadCursor<'_, 'de> {
    type Error = Flaw;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Flaw> {
        Err(Flaw("nothing says what it is".into()))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        match self.reader.byte()? {
            0 => visitor.visit_bool(false),
            1 => visitor.visit_bool(true),
            _ => Err(Flaw("neither true nor false".into())),
        }
    }

    numbers! {
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_u8(self.reader.byte()?)
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_i8(self.reader.byte()? as i8)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_u64(u64::from_le_bytes(self.reader.eight_bytes()?))
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_i64(i64::from_le_bytes(self.reader.eight_bytes()?))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        let bytes = self.reader.take(4)?.try_into().map_err(|_| cut_short())?;
        visitor.visit_f32(f32::from_le_bytes(bytes))
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_f64(f64::from_le_bytes(self.reader.eight_bytes()?))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_char(char::from_u32(self.u32()?).ok_or_else(|| Flaw("no character".into()))?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        let length = self.reader.number()?;
        let text = std::str::from_utf8(self.reader.take(length as usize)?);
        visitor.visit_borrowed_str(text.map_err(|error| Flaw(error.to_string()))?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        let length = self.reader.number()?;
        visitor.visit_borrowed_bytes(self.reader.take(length as usize)?)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        match self.reader.byte()? {
            0 => visitor.visit_none(),
            1 => visitor.visit_some(self.inner(1)),
            _ => Err(Flaw("neither something nor nothing".into())),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        let left = self.reader.number()? as usize;
        visitor.visit_seq(Elements { at: self.inner(1), left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, count: usize, visitor: V) -> Result<V::Value, Flaw> {
        self.fields(&[], count, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        self.deserialize_tuple(count, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Flaw> {
        Err(Flaw("maps are never written".into()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        self.fields(fields, fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        visitor.visit_enum(self)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        self.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// The fields of a value, each in a place of its own.
struct FieldAccess<'a, 'de> {
    at: ReadCursor<'a, 'de>,
    left: usize,
}

impl<'de> de::SeqAccess<'de> for FieldAccess<'_, 'de> {
    type Error = Flaw;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Flaw> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let value = seed.deserialize(self.at.here())?;
        self.at.place += 1;
        Ok(Some(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// The elements of a list, all in one place.
struct Elements<'a, 'de> {
    at: ReadCursor<'a, 'de>,
    left: usize,
}

impl<'de> de::SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Flaw;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Flaw> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(self.at.here()).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        // Nothing takes less than a byte, so a damaged length cannot ask for more memory than there
        // are bytes.
        Some(self.left.min(self.at.reader.bytes.len()))
    }
}

impl<'a, 'de> de::EnumAccess<'de> for ReadCursor<'a, 'de> {
    type Error = Flaw;
    type Variant = ReadCursor<'a, 'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, ReadCursor<'a, 'de>), Flaw> {
        let variant = self.reader.number()?;
        let value = seed.deserialize(IntoDeserializer::<Flaw>::into_deserializer(variant))?;
        Ok((value, self))
    }
}

impl<'de> de::VariantAccess<'de> for ReadCursor<'_, 'de> {
    type Error = Flaw;

    fn unit_variant(self) -> Result<(), Flaw> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Flaw> {
        seed.deserialize(self.inner(1))
    }

    fn tuple_variant<V: Visitor<'de>>(self, count: usize, visitor: V) -> Result<V::Value, Flaw> {
        de::Deserializer::deserialize_tuple(self, count, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Flaw> {
        de::Deserializer::deserialize_struct(self, "", fields, visitor)
    }
}
