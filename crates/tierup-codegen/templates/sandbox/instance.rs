//! An instance of the module with its own memory. It serves one call at a time, and is dropped after a failed call.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use wasmtime::{Instance as Exports, Memory, ResourceLimiter, Store, Trap, TypedFunc};

use crate::clock::TICKS;
use crate::limits::Limits;
use crate::module::Loaded;
use crate::outcome::Failed;

pub struct Instance {
    store: Store<Limiter>,
    memory: Memory,
    tierup_abi: TypedFunc<(), u64>,
    tierup_in: TypedFunc<u32, u32>,
    tierup_call: TypedFunc<(u32, u32), u32>,
    tierup_last_panic: TypedFunc<(), u32>,
    /// Where the arguments of the next call go, if the module still has room for them from an earlier one.
    room: Option<Room>,
}

/// A part of the module's memory.
#[derive(Clone, Copy)]
struct Room {
    place: u32,
    length: u32,
}

/// The least room to ask for, so that short arguments of different lengths reuse it.
const LEAST_ROOM: u32 = 4 << 10;

/// The module frees larger buffers: that of arguments after their call, that of an answer when room is asked for.
const KEPT: usize = 1 << 20;

impl Instance {
    /// Makes a fresh instance. The process must not fork meanwhile: [`crate::forks`].
    pub fn new(loaded: &Loaded) -> wasmtime::Result<Instance> {
        let limiter = Limiter { most: loaded.limits.memory << 20, refused: false };
        let mut store = Store::new(&loaded.engine, limiter);
        store.limiter(|limiter| limiter);
        begin(&mut store, &loaded.limits);
        let exports = Exports::new(&mut store, &loaded.module, &[])?;
        let memory = exports.get_memory(&mut store, "memory");
        if loaded.alternative != 0 {
            exports.get_typed_func::<u32, ()>(&mut store, "tierup_choose")?.call(&mut store, loaded.alternative)?;
        }
        Ok(Instance {
            memory: memory.ok_or_else(|| wasmtime::Error::msg("the module exports no memory"))?,
            tierup_abi: exports.get_typed_func(&mut store, "tierup_abi")?,
            tierup_in: exports.get_typed_func(&mut store, "tierup_in")?,
            tierup_call: exports.get_typed_func(&mut store, "tierup_call")?,
            tierup_last_panic: exports.get_typed_func(&mut store, "tierup_last_panic")?,
            room: None,
            store,
        })
    }

    /// The hash of the interface that the module was made from.
    pub fn abi(&mut self) -> wasmtime::Result<u64> {
        self.tierup_abi.call(&mut self.store, ())
    }

    /// The size of its memory, which never shrinks.
    pub fn bytes(&self) -> usize {
        self.memory.data_size(&self.store)
    }

    /// Calls a function by number. `read` gets the answer's bytes, which begin with its tag.
    pub fn call<T>(
        &mut self,
        limits: &Limits,
        function: u32,
        arguments: &Arguments<'_>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Failed> {
        let length = arguments.length()?;
        begin(&mut self.store, limits);
        let place = self.room_for(length, limits)?;
        arguments.write(self.within(place, length)?);
        let answer = self.tierup_call.call(&mut self.store, (function, length));
        let place = answer.map_err(|error| self.failed(&error, limits))?;
        let answer = answer_at(self.memory.data(&self.store), place)?;
        if answer.len() > KEPT {
            self.room = None;
        }
        Ok(read(answer))
    }

    /// The place for the arguments. To enter the module takes longer than a short function, so the room of an earlier
    /// call is reused if it is large enough: the module neither moves nor frees it before it is asked for more.
    fn room_for(&mut self, length: u32, limits: &Limits) -> Result<u32, Failed> {
        if let Some(room) = self.room.filter(|room| length <= room.length) {
            return Ok(room.place);
        }
        let length = length.max(LEAST_ROOM);
        let place = self.tierup_in.call(&mut self.store, length).map_err(|error| self.failed(&error, limits))?;
        self.room = (length as usize <= KEPT).then_some(Room { place, length });
        Ok(place)
    }

    /// A part of the module's memory. A pointer that the function's code has overwritten must not lead out of it.
    fn within(&mut self, place: u32, length: u32) -> Result<&mut [u8], Failed> {
        let (start, length) = (place as usize, length as usize);
        let part = self.memory.data_mut(&mut self.store).get_mut(start..).and_then(|rest| rest.get_mut(..length));
        part.ok_or_else(outside)
    }

    /// Why a call was ended.
    fn failed(&mut self, error: &wasmtime::Error, limits: &Limits) -> Failed {
        let (trap, refused) = (error.downcast_ref::<Trap>(), self.store.data().refused);
        match trap {
            Some(Trap::Interrupt) => return Failed::late(limits.took_too_long()),
            Some(Trap::StackOverflow) => return Failed::panic("the stack overflowed: the function calls itself too deeply"),
            _ => {}
        }
        if let Some(words) = self.last_words(limits) {
            return words;
        }
        match trap {
            _ if refused => Failed::panic(limits.wanted_too_much()),
            // The module's own stack lies below everything else in its memory: an overflow leads out of it.
            Some(Trap::MemoryOutOfBounds) => {
                Failed::panic("the Wasm module trapped: out of bounds memory access, as when its stack overflows")
            }
            Some(trap) => Failed::panic(format!("the Wasm module trapped: {trap}")),
            None => Failed::panic(format!("the Wasm module failed: {error:#}")),
        }
    }

    /// A panic's message, written before it trapped.
    fn last_words(&mut self, limits: &Limits) -> Option<Failed> {
        begin(&mut self.store, limits);
        let place = self.tierup_last_panic.call(&mut self.store, ()).ok().filter(|place| *place != 0)?;
        let answer = answer_at(self.memory.data(&self.store), place).ok()?;
        Some(Failed::said(answer))
    }
}

/// The bytes of an answer in the module's memory, which follow their length.
fn answer_at(memory: &[u8], place: u32) -> Result<&[u8], Failed> {
    let (length, rest) = memory.get(place as usize..).and_then(<[u8]>::split_first_chunk).ok_or_else(outside)?;
    rest.get(..u32::from_le_bytes(*length) as usize).ok_or_else(outside)
}

fn outside() -> Failed {
    Failed::panic("the Wasm module returned an address outside its memory")
}

/// Starts the time-out of a call, and clears the note that memory was refused.
fn begin(store: &mut Store<Limiter>, limits: &Limits) {
    if limits.timeout.is_some() {
        store.set_epoch_deadline(TICKS);
    }
    store.data_mut().refused = false;
}

/// The bytes of a length in the encoding.
const LENGTH: u32 = 4;

/// The arguments of a call.
pub enum Arguments<'a> {
    /// Arguments in the byte encoding.
    Encoded(&'a [u8]),
    /// Only text and bytes, each of which follows its length in the encoding.
    Pieces(&'a [&'a [u8]]),
}

impl Arguments<'_> {
    fn length(&self) -> Result<u32, Failed> {
        let length = match self {
            Arguments::Encoded(bytes) => bytes.len(),
            Arguments::Pieces(pieces) => pieces.iter().map(|piece| piece.len().saturating_add(LENGTH as usize)).sum(),
        };
        u32::try_from(length).map_err(|_| Failed::refused("the arguments are larger than 4 GiB and cannot cross"))
    }

    /// Writes the arguments; `to` has exactly their length.
    fn write(&self, mut to: &mut [u8]) {
        let mut next = |bytes: &[u8]| {
            let (place, rest) = std::mem::take(&mut to).split_at_mut(bytes.len());
            place.copy_from_slice(bytes);
            to = rest;
        };
        match self {
            Arguments::Encoded(bytes) => next(bytes),
            Arguments::Pieces(pieces) => {
                for piece in *pieces {
                    // The length of each fits, as that of all does.
                    next(&(piece.len() as u32).to_le_bytes());
                    next(piece);
                }
            }
        }
    }
}

/// Limits the size of the memory.
struct Limiter {
    most: usize,
    /// Whether the call wanted more than that.
    refused: bool,
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        self.refused |= desired > self.most;
        Ok(desired <= self.most)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}
