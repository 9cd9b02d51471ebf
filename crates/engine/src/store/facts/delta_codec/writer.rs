//! Writes the relative form.

use serde::ser::{self, Serialize};

use crate::store::facts::delta_codec::{Flaw, LastValues, NameCode, ROOT};

#[derive(Default)]
pub(super) struct DeltaWriter {
    pub(super) out: Vec<u8>,
    places: LastValues,
}

impl DeltaWriter {
    pub(super) fn root(&mut self) -> WriteCursor<'_> {
        WriteCursor { writer: self, place: ROOT }
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }
}

/// A place to write to; while the parts of a value are written, the place of the next part.
pub(super) struct WriteCursor<'a> {
    writer: &'a mut DeltaWriter,
    place: usize,
}

impl<'a> WriteCursor<'a> {
    /// The first place of what is in the value.
    fn inner(self, count: usize) -> WriteCursor<'a> {
        let place = self.writer.places.inner(self.place, count);
        WriteCursor { writer: self.writer, place }
    }

    fn variant(self, variant: u32, count: usize) -> WriteCursor<'a> {
        self.writer.number(variant.into());
        self.inner(count)
    }

    fn here(&mut self) -> WriteCursor<'_> {
        WriteCursor { writer: self.writer, place: self.place }
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Flaw> {
        self.writer.places.call(self.place, key);
        value.serialize(self.here())?;
        self.place += 1;
        Ok(())
    }
}

impl<'a> ser::Serializer for WriteCursor<'a> {
    type Ok = ();
    type Error = Flaw;
    type SerializeSeq = WriteCursor<'a>;
    type SerializeTuple = WriteCursor<'a>;
    type SerializeTupleStruct = WriteCursor<'a>;
    type SerializeTupleVariant = WriteCursor<'a>;
    type SerializeMap = ser::Impossible<(), Flaw>;
    type SerializeStruct = WriteCursor<'a>;
    type SerializeStructVariant = WriteCursor<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Flaw> {
        self.serialize_u8(value.into())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Flaw> {
        self.writer.out.push(value);
        Ok(())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Flaw> {
        self.serialize_u32(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Flaw> {
        if let Some(numbered) = self.writer.places.places[self.place].numbered {
            match self.writer.places.numbered[numbered as usize].code(value) {
                NameCode::Uses(ago) => self.writer.number(ago.into()),
                NameCode::New(written) => {
                    self.writer.number(0);
                    self.writer.number(written.into());
                }
            }
        } else {
            let written = self.writer.places.difference(self.place, value);
            self.writer.number(written.into());
        }
        Ok(())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Flaw> {
        self.writer.out.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Flaw> {
        self.serialize_u8(value as u8)
    }

    fn serialize_i16(self, value: i16) -> Result<(), Flaw> {
        self.serialize_u32(value as u32)
    }

    fn serialize_i32(self, value: i32) -> Result<(), Flaw> {
        self.serialize_u32(value as u32)
    }

    fn serialize_i64(self, value: i64) -> Result<(), Flaw> {
        self.serialize_u64(value as u64)
    }

    fn serialize_f32(self, value: f32) -> Result<(), Flaw> {
        self.writer.out.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Flaw> {
        self.serialize_u64(value.to_bits())
    }

    fn serialize_char(self, value: char) -> Result<(), Flaw> {
        self.serialize_u32(value.into())
    }

    fn serialize_str(self, value: &str) -> Result<(), Flaw> {
        self.serialize_bytes(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Flaw> {
        self.writer.number(value.len() as u64);
        self.writer.out.extend_from_slice(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Flaw> {
        self.serialize_bool(false)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Flaw> {
        self.writer.out.push(1);
        value.serialize(self.inner(1))
    }

    fn serialize_unit(self) -> Result<(), Flaw> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Flaw> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, variant: u32, _: &'static str) -> Result<(), Flaw> {
        self.writer.number(variant.into());
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Flaw> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Flaw> {
        value.serialize(self.variant(variant, 1))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<WriteCursor<'a>, Flaw> {
        let length = length.ok_or_else(|| Flaw("a list of unknown length".into()))?;
        self.writer.number(length as u64);
        Ok(self.inner(1))
    }

    fn serialize_tuple(self, count: usize) -> Result<WriteCursor<'a>, Flaw> {
        Ok(self.inner(count))
    }

    fn serialize_tuple_struct(self, _: &'static str, count: usize) -> Result<WriteCursor<'a>, Flaw> {
        Ok(self.inner(count))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        count: usize,
    ) -> Result<WriteCursor<'a>, Flaw> {
        Ok(self.variant(variant, count))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Flaw> {
        Err(Flaw("maps have no order that could be kept".into()))
    }

    fn serialize_struct(self, _: &'static str, count: usize) -> Result<WriteCursor<'a>, Flaw> {
        Ok(self.inner(count))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        count: usize,
    ) -> Result<WriteCursor<'a>, Flaw> {
        Ok(self.variant(variant, count))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

impl ser::SerializeSeq for WriteCursor<'_> {
    type Ok = ();
    type Error = Flaw;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Flaw> {
        value.serialize(self.here())
    }

    fn end(self) -> Result<(), Flaw> {
        Ok(())
    }
}

/// The kinds of values with fields differ in nothing but the name of their method.
macro_rules! with_fields {
    ($($kind:ident $method:ident($($key:ident)?);)*) => {
        $(impl ser::$kind for WriteCursor<'_> {
            type Ok = ();
            type Error = Flaw;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<(), Flaw> {
                self.field(with_fields!(@key $($key)?), value)
            }

            fn end(self) -> Result<(), Flaw> {
                Ok(())
            }
        })*
    };
    (@key) => { "" };
    (@key $key:ident) => { $key };
}

with_fields! {
    SerializeTuple serialize_element();
    SerializeTupleStruct serialize_field();
    SerializeTupleVariant serialize_field();
    SerializeStruct serialize_field(key);
    SerializeStructVariant serialize_field(key);
}
