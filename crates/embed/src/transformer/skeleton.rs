//! Looks over an ONNX file before it is loaded: every part must fit into what holds it.
//!
//! The library that loads it trusts the lengths it reads and asks for that much memory at once; a
//! damaged length would end the process, which nothing can catch. The file is a protobuf message,
//! so its lengths can be checked without reading its weights.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Graphs stand in graphs where a model branches; none goes deeper than a few levels.
const MAX_DEPTH: usize = 64;

/// The messages of the format that hold messages, and all others.
#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    ValueInfo,
    Type,
    TensorType,
    SequenceType,
    Shape,
    Other,
}

impl Message {
    /// Returns the message in the field with this number, if it is one that the library reads.
    fn inner(self, field: u64) -> Option<Message> {
        Some(match (self, field) {
            (Message::Model, 7) | (Message::Attribute, 6) => Message::Graph,
            (Message::Model, 8 | 14) | (Message::Tensor, 13) | (Message::Shape, 1) => Message::Other,
            (Message::Graph, 1) => Message::Node,
            (Message::Graph, 5) | (Message::Attribute, 5) => Message::Tensor,
            (Message::Graph, 11..=13) => Message::ValueInfo,
            (Message::Node, 5) => Message::Attribute,
            (Message::ValueInfo, 2) | (Message::SequenceType, 1) => Message::Type,
            (Message::Type, 1) => Message::TensorType,
            (Message::Type, 4) => Message::SequenceType,
            (Message::TensorType, 2) => Message::Shape,
            _ => return None,
        })
    }
}

/// Refuses a file whose parts do not fit into it.
pub(super) fn check(path: &Path) -> Result<(), String> {
    let shown = path.display();
    let file = File::open(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let size = file.metadata().map_err(|error| format!("{shown} cannot be read: {error}"))?.len();
    let mut start = Vec::new();
    let mut file = BufReader::new(file);
    let is_read =
        file.by_ref().take(8).read_to_end(&mut start).is_ok() && file.seek_relative(-(start.len() as i64)).is_ok();
    if start == b"version " {
        return Err(format!("{shown} is a pointer of Git LFS, not the model: run `git lfs pull` in its repository"));
    }
    let mut walk = Walk { file, at: 0 };
    if is_read && size > 0 && walk.message(Message::Model, size, 0).is_some() {
        Ok(())
    } else {
        Err(format!("{shown} is damaged or no ONNX file (it has {size} bytes): copy or export it again"))
    }
}

struct Walk {
    file: BufReader<File>,
    at: u64,
}

impl Walk {
    fn message(&mut self, message: Message, end: u64, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        while self.at < end {
            let tag = self.number()?;
            match tag & 7 {
                0 => drop(self.number()?),
                1 => self.skip(8, end)?,
                5 => self.skip(4, end)?,
                2 => {
                    let length = self.number()?;
                    match message.inner(tag >> 3) {
                        Some(inner) => {
                            let inner_end = self.at.checked_add(length).filter(|inner_end| *inner_end <= end)?;
                            self.message(inner, inner_end, depth + 1)?;
                        }
                        None => self.skip(length, end)?,
                    }
                }
                _ => return None,
            }
        }
        (self.at == end).then_some(())
    }

    fn skip(&mut self, length: u64, end: u64) -> Option<()> {
        self.at = self.at.checked_add(length).filter(|at| *at <= end)?;
        self.file.seek_relative(i64::try_from(length).ok()?).ok()
    }

    /// A number in groups of seven bits, the lowest first; the last group has no high bit.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.file.read_exact(&mut byte).ok()?;
            self.at += 1;
            number |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}
