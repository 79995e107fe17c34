//! What a variable of an object may hold: values that can be compared, whatever way they were made.

use super::shown;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple, PyType};
use ringleader::model::{
    Field, Id, Show, Sizes, Value, Wire, WireError, bits_of, put_bytes, put_number, take_number, take_text,
};
use std::sync::Arc;

/// Lists in lists, and so on, go no deeper.
const DEPTH_MAX: usize = 16;

/// A value. Sets and dictionaries are in the order of their elements: how they came about is forgotten.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Val {
    Nothing,
    Flag(bool),
    Number(i64),
    Identity(Id),
    Text(Arc<str>),
    Several(Several, Vec<Val>),
}

/// What holds several values; a dictionary holds keys and values by turns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Several {
    List,
    Tuple,
    Set,
    FrozenSet,
    Dict,
}

impl Several {
    const ALL: [Several; 5] =
        [Several::List, Several::Tuple, Several::Set, Several::FrozenSet, Several::Dict];
}

/// The value of an object, or why it cannot be kept. Types that are made from these are refused: they would come back
/// as what they are made from.
pub(super) fn kept(object: &Bound<'_, PyAny>, identity: &Py<PyType>, depth: usize) -> Result<Val, String> {
    if depth > DEPTH_MAX {
        return Err(format!("it goes deeper than {DEPTH_MAX} levels"));
    }
    let of = |object: &Bound<'_, PyAny>| kept(object, identity, depth + 1);
    let all = |elements: PyResult<Bound<'_, pyo3::types::PyIterator>>| {
        let elements = elements.map_err(|error| error.to_string())?;
        elements.map(|one| of(&one.map_err(|error| error.to_string())?)).collect::<Result<Vec<Val>, String>>()
    };
    let sorted = |mut values: Vec<Val>| {
        values.sort_unstable();
        values
    };
    if object.is_none() {
        return Ok(Val::Nothing);
    }
    if let Ok(flag) = object.cast_exact::<PyBool>() {
        return Ok(Val::Flag(flag.is_true()));
    }
    let is_identity = object.get_type().is(identity);
    if is_identity || object.is_exact_instance_of::<PyInt>() {
        let number: i64 = object.extract().map_err(|_| "it is an integer of more than 64 bits".to_owned())?;
        let rank = || u32::try_from(number.checked_sub(1)?).ok().filter(|rank| *rank < u32::MAX);
        return match rank() {
            Some(rank) if is_identity => Ok(Val::Identity(Id::from_rank(rank))),
            Some(_) | None => Ok(Val::Number(number)),
        };
    }
    if let Ok(text) = object.cast_exact::<PyString>() {
        return text.to_cow().map(|text| Val::Text(text.as_ref().into())).map_err(|error| error.to_string());
    }
    if object.is_exact_instance_of::<PyList>() {
        return Ok(Val::Several(Several::List, all(object.try_iter())?));
    }
    if object.is_exact_instance_of::<PyTuple>() {
        return Ok(Val::Several(Several::Tuple, all(object.try_iter())?));
    }
    if object.is_exact_instance_of::<PySet>() {
        return Ok(Val::Several(Several::Set, sorted(all(object.try_iter())?)));
    }
    if object.is_exact_instance_of::<PyFrozenSet>() {
        return Ok(Val::Several(Several::FrozenSet, sorted(all(object.try_iter())?)));
    }
    if let Ok(dict) = object.cast_exact::<PyDict>() {
        let mut pairs = Vec::with_capacity(dict.len());
        for (key, value) in dict {
            pairs.push((of(&key)?, of(&value)?));
        }
        pairs.sort_unstable();
        return Ok(Val::Several(
            Several::Dict,
            pairs.into_iter().flat_map(|(key, value)| [key, value]).collect(),
        ));
    }
    let name = object.get_type().qualname().map_or_else(|_| "?".into(), |name| name.to_string());
    Err(format!("it is of type `{name}`"))
}

impl Val {
    /// A new object with this value.
    pub(super) fn made<'py>(&self, py: Python<'py>, identity: &Py<PyType>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Val::Nothing => py.None().into_bound(py),
            Val::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
            Val::Number(number) => number.into_pyobject(py)?.into_any(),
            Val::Identity(id) => identity.bind(py).call1((u64::from(id.rank()) + 1,))?,
            Val::Text(text) => PyString::new(py, text).into_any(),
            Val::Several(Several::Dict, pairs) => {
                let dict = PyDict::new(py);
                for pair in pairs.chunks_exact(2) {
                    dict.set_item(pair[0].made(py, identity)?, pair[1].made(py, identity)?)?;
                }
                dict.into_any()
            }
            Val::Several(several, values) => {
                let values =
                    values.iter().map(|value| value.made(py, identity)).collect::<PyResult<Vec<_>>>()?;
                match several {
                    Several::List | Several::Dict => PyList::new(py, values)?.into_any(),
                    Several::Tuple => PyTuple::new(py, values)?.into_any(),
                    Several::Set => PySet::new(py, values)?.into_any(),
                    Several::FrozenSet => PyFrozenSet::new(py, values)?.into_any(),
                }
            }
        })
    }

    /// The size in bits that the model charges.
    pub(super) fn bits(&self, sizes: Sizes) -> u64 {
        match self {
            Val::Nothing | Val::Flag(_) => 1,
            // A sign, where there is one.
            Val::Number(number) => u64::from(*number < 0) + u64::from(bits_of(number.unsigned_abs())),
            Val::Identity(id) => id.bits(sizes),
            Val::Text(text) => 8 * text.len() as u64,
            Val::Several(_, values) => values.iter().map(|value| value.bits(sizes)).sum(),
        }
    }

    fn take_within(bytes: &mut &[u8], depth: usize) -> Result<Val, WireError> {
        Ok(match u8::take(bytes)? {
            0 => Val::Nothing,
            1 => Val::Flag(bool::take(bytes)?),
            2 => {
                let folded = take_number(bytes)?;
                Val::Number((folded >> 1) as i64 ^ -((folded & 1) as i64))
            }
            3 => Val::Identity(Id::take(bytes)?),
            4 => Val::Text(take_text(bytes, usize::MAX)?.into()),
            tag => {
                let several = *Several::ALL.get(usize::from(tag) - 5).ok_or(WireError::Range)?;
                let length = take_number(bytes)?;
                // Every value takes a byte at least: a larger length is a lie.
                if depth > DEPTH_MAX || length > bytes.len() as u64 {
                    return Err(WireError::Short);
                }
                Val::Several(
                    several,
                    (0..length).map(|_| Val::take_within(bytes, depth + 1)).collect::<Result<_, _>>()?,
                )
            }
        })
    }
}

impl Wire for Val {
    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Val::Nothing => bytes.push(0),
            Val::Flag(flag) => {
                bytes.push(1);
                flag.put(bytes);
            }
            Val::Number(number) => {
                bytes.push(2);
                put_number(((number << 1) ^ (number >> 63)) as u64, bytes);
            }
            Val::Identity(id) => {
                bytes.push(3);
                id.put(bytes);
            }
            Val::Text(text) => {
                bytes.push(4);
                put_bytes(text.as_bytes(), bytes);
            }
            Val::Several(several, values) => {
                bytes.push(5 + *several as u8);
                put_number(values.len() as u64, bytes);
                values.iter().for_each(|value| value.put(bytes));
            }
        }
    }

    fn take(bytes: &mut &[u8]) -> Result<Val, WireError> {
        Val::take_within(bytes, 0)
    }
}

impl Show for Val {
    fn show(&self) -> Value {
        match self {
            Val::Nothing => Value::Nothing,
            Val::Flag(flag) => Value::Flag(*flag),
            Val::Number(number) => Value::Number(*number),
            Val::Identity(id) => Value::Identity(*id),
            Val::Text(text) => Value::Word(shown(text)),
            Val::Several(Several::Dict, pairs) => Value::List(
                pairs
                    .chunks_exact(2)
                    .map(|pair| Value::List(pair.iter().map(Show::show).collect()))
                    .collect(),
            ),
            Val::Several(_, values) => Value::List(values.iter().map(Show::show).collect()),
        }
    }
}
