//! An election that somebody wrote in Python: each step asks the class, and keeps what the object is by value.

mod value;

use crate::app;
use crate::refused::refused;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use ringleader::model::{
    Birth, Charge, Decision, Drawn, Edge, Election, Fields, Given, Id, Informed, Knowledge, Knows, Links,
    Message, Never, Next, Outbox, Port, Process, Reached, Shape, Show, Side, Sizes, Spec, State, Told, Value,
    Verdict, Winner, Wire, WireError, bits_of, put_number,
};
use ringleader::registry::{self, Described, Entry};
use ringleader_lab::{App, Diagnostic};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use value::{Val, kept};

/// A class has no more kinds of messages.
const KINDS_MAX: usize = 32;

/// One kind of messages: its name, and its fields in the order of their declaration.
struct Kind {
    name: &'static str,
    fields: Vec<&'static str>,
}

/// A class, while somebody asks about it. It lives as long as the program and is used again for the same class, so that
/// many runs take no more than a few. Nobody else uses it at the same time: what went wrong is told to whoever asked.
struct Class {
    which: u32,
    /// What Python knows of it: `_algorithm.Description`.
    description: Py<PyAny>,
    /// The class of identities.
    identity: Py<PyType>,
    kinds: Vec<Kind>,
    has_ids: bool,
    registry: OnceLock<&'static [Entry]>,
    is_busy: AtomicBool,
    has_failed: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

/// All classes that anybody asked about, by their numbers.
static CLASSES: RwLock<Vec<&'static Class>> = RwLock::new(Vec::new());

/// Texts that live as long as the program: names of variables and kinds, and words that are shown.
static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// More texts than these are not kept: a state may have any number of them.
const WORDS_MAX: usize = 1 << 16;

/// This text, once for the whole program.
fn word(text: &str) -> &'static str {
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(word) = words.get(text) {
        return word;
    }
    let word: &'static str = Box::leak(text.into());
    words.insert(word);
    word
}

/// This text as it is shown.
fn shown(text: &str) -> &'static str {
    let is_full = WORDS.lock().unwrap_or_else(PoisonError::into_inner).len() >= WORDS_MAX;
    if is_full || text.len() > 256 { "…" } else { word(text) }
}

/// What a step is asked of.
#[derive(Clone, Copy)]
enum Input<'a> {
    Start,
    Receive(u32, &'a Msg),
}

/// What came of asking for a step.
enum Stepped {
    /// A new state, who leads, and what it sends: port and message.
    Done(Vars, Val, Vec<(u32, Msg)>),
    /// It wants a number below this one first.
    Asks(u32),
}

type Vars = Arc<[(&'static str, Val)]>;

impl Class {
    fn fail(&self, error: PyErr) {
        self.has_failed.store(true, Ordering::Relaxed);
        // The first says what is wrong; what follows may be a consequence.
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    fn identity<'py>(&self, py: Python<'py>, id: Id) -> PyResult<Bound<'py, PyAny>> {
        self.identity.bind(py).call1((u64::from(id.rank()) + 1,))
    }

    /// What each process is told, as Python takes it.
    fn told<'py>(&self, py: Python<'py>, told: &Born) -> PyResult<Bound<'py, PyTuple>> {
        let id = told.id.map(|id| self.identity(py, id)).transpose()?;
        (id, told.n, told.degree).into_pyobject(py)
    }

    /// The variables of a new process.
    fn birth(&'static self, told: &Born) -> PyResult<(Vars, Val)> {
        Python::attach(|py| {
            let made = self.description.bind(py).call_method1("birth", (self.told(py, told)?,))?;
            self.vars(made.cast::<PyDict>()?)
        })
    }

    /// The attributes of an object, in the order of their names; and the one that says who leads.
    fn vars(&self, attributes: &Bound<'_, PyDict>) -> PyResult<(Vars, Val)> {
        let mut vars = Vec::with_capacity(attributes.len());
        let mut leader = Val::Nothing;
        for (name, value) in attributes {
            let name: String = name.extract()?;
            let value = kept(&value, &self.identity, 0)
                .map_err(|why| self.unkept(&format!("`self.{name}`"), &why))?;
            if name == "leader" {
                leader = value.clone();
            }
            vars.push((word(&name), value));
        }
        vars.sort_unstable_by_key(|(name, _)| *name);
        Ok((vars.into(), leader))
    }

    fn unkept(&self, what: &str, why: &str) -> PyErr {
        bad(format!("{what} cannot be kept: {why}"))
            .help("a state has None, truth values, integers, strings, and lists, tuples, sets and dictionaries of them")
            .into()
    }

    /// A step with these answers to what it draws.
    fn step(&'static self, own: (&Vars, &Born), input: Input<'_>, answers: &[u32]) -> PyResult<Stepped> {
        Python::attach(|py| {
            let attributes = PyDict::new(py);
            for (name, value) in own.0.iter() {
                attributes.set_item(name, value.made(py, &self.identity)?)?;
            }
            let input = match input {
                Input::Start => None,
                Input::Receive(port, msg) => {
                    let fields: Vec<_> = msg
                        .fields
                        .iter()
                        .map(|field| field.made(py, &self.identity))
                        .collect::<PyResult<_>>()?;
                    Some((port, msg.kind, PyTuple::new(py, fields)?))
                }
            };
            let told = self.told(py, own.1)?;
            let came = self
                .description
                .bind(py)
                .call_method1("step", (told, attributes, input, PyTuple::new(py, answers)?))?;
            if let Ok(below) = came.extract::<u32>() {
                return Ok(Stepped::Asks(below));
            }
            let (attributes, sends): (Bound<'_, PyDict>, Bound<'_, PyList>) = came.extract()?;
            let (vars, leader) = self.vars(&attributes)?;
            let sends = sends.iter().map(|send| self.sent(&send)).collect::<PyResult<_>>()?;
            Ok(Stepped::Done(vars, leader, sends))
        })
    }

    /// What was sent, out of which port.
    fn sent(&'static self, send: &Bound<'_, PyAny>) -> PyResult<(u32, Msg)> {
        let (port, kind, values): (u32, u32, Vec<Bound<'_, PyAny>>) = send.extract()?;
        let Some(of) = self.kinds.get(kind as usize) else {
            return Err(PyRuntimeError::new_err(format!("there is no kind of messages with number {kind}")));
        };
        let field = |(name, value): (&&str, Bound<'_, PyAny>)| {
            kept(&value, &self.identity, 0)
                .map_err(|why| self.unkept(&format!("the field `{name}` of `{}`", of.name), &why))
        };
        let fields: Vec<Val> = of.fields.iter().zip(values).map(field).collect::<PyResult<_>>()?;
        Ok((port, Msg { by: By(self), kind, fields: fields.into() }))
    }

    /// What an object says with `leader`.
    fn decision(&self, me: Option<Id>, leader: &Val) -> PyResult<Decision> {
        let there_is_one = |verdict| Decision { verdict, knows: Knows::ThereIsOne };
        Ok(match (leader, me) {
            (Val::Nothing, _) => Decision::NONE,
            (Val::Flag(true), Some(me)) => Decision::leads(me),
            (Val::Flag(false), Some(_)) => Decision { verdict: Verdict::Lost, knows: Knows::Nothing },
            (Val::Flag(true), None) => there_is_one(Verdict::Leader),
            (Val::Flag(false), None) => there_is_one(Verdict::Lost),
            (Val::Identity(leader), Some(me)) => Decision::of(me, Some(*leader)),
            (_, Some(_)) => {
                return Err(bad("`self.leader` is neither an identity nor None, True or False".into())
                    .help("self.leader = self.id, or the identity out of a message")
                    .into());
            }
            (_, None) => {
                return Err(bad(
                    "`self.leader` is not None, True or False, and nobody has an identity here".into()
                )
                .help("self.leader = True where it leads, False where somebody else does")
                .into());
            }
        })
    }
}

/// What is wrong with a class.
struct Bad(Diagnostic);

fn bad(message: String) -> Bad {
    Bad(Diagnostic::input("bad_algorithm", message))
}

impl Bad {
    fn help(self, help: &str) -> Bad {
        Bad(self.0.help(help))
    }
}

impl From<Bad> for PyErr {
    fn from(bad: Bad) -> PyErr {
        refused(&bad.0)
    }
}

/// The class of a process or a message. It is the same for all that are compared.
#[derive(Clone, Copy)]
struct By(&'static Class);

impl PartialEq for By {
    fn eq(&self, _: &By) -> bool {
        true
    }
}

impl Eq for By {}

impl Hash for By {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl std::fmt::Debug for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "class {}", self.0.which)
    }
}

/// What a process is told at birth; the class says how much of it Python sees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Born {
    which: u32,
    id: Option<Id>,
    n: u32,
    degree: u32,
}

impl Given for Born {
    const TOLD: Knowledge = Knowledge::one(Told::Identity);

    fn of(birth: &Birth) -> Born {
        Born { which: birth.which, id: Some(birth.id), n: birth.n, degree: birth.degree }
    }
}

/// A message: its kind, and its fields in the order of their declaration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Msg {
    by: By,
    kind: u32,
    fields: Arc<[Val]>,
}

impl Message for Msg {
    // What they are called is in the table of classes.
    const KINDS: &'static [&'static str] = &["message"; KINDS_MAX];
    const ANNOUNCES: &'static [bool] = &[false; KINDS_MAX];

    fn kind(&self) -> usize {
        self.kind as usize
    }

    fn fields(&self) -> Fields {
        let names = self.by.0.kinds.get(self.kind()).map_or(&[][..], |kind| &kind.fields);
        names.iter().copied().zip(self.fields.iter().map(Show::show)).collect()
    }

    fn charge(&self) -> Charge {
        Charge::Nobody
    }

    fn bits(&self, sizes: Sizes) -> u64 {
        let last = self.by.0.kinds.len().saturating_sub(1) as u64;
        let tag = if last == 0 { 0 } else { u64::from(bits_of(last)) };
        tag + self.fields.iter().map(|field| field.bits(sizes)).sum::<u64>()
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        put_number(u64::from(self.by.0.which), bytes);
        put_number(u64::from(self.kind), bytes);
        self.fields.iter().for_each(|field| field.put(bytes));
    }

    fn take(bytes: &mut &[u8]) -> Result<Msg, WireError> {
        let class = class(u32::take(bytes)?).ok_or(WireError::Range)?;
        let kind = u32::take(bytes)?;
        let fields = &class.kinds.get(kind as usize).ok_or(WireError::Range)?.fields;
        let fields = fields.iter().map(|_| Val::take(bytes)).collect::<Result<_, _>>()?;
        Ok(Msg { by: By(class), kind, fields })
    }
}

/// The class with this number.
fn class(which: u32) -> Option<&'static Class> {
    CLASSES.read().unwrap_or_else(PoisonError::into_inner).get(which as usize).copied()
}

/// Whoever has a number has got it from the table.
const KNOWN: &str = "a process is born of a class that is known";

/// A process of a class, on a network with these ports.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Own<T: Port> {
    by: By,
    born: Born,
    vars: Vars,
    decision: Decision,
    port: PhantomData<fn() -> T>,
}

impl<T: Port> State for Own<T> {
    const DRAWN: &'static [(&'static str, Drawn)] = &[("leader", Drawn::Leader)];

    fn fields(&self) -> Fields {
        let id = self.born.id.map(|id| ("id", Value::Identity(id)));
        id.into_iter().chain(self.vars.iter().map(|(name, value)| (*name, value.show()))).collect()
    }
}

impl<T: Port> Own<T> {
    /// A step, as far as it goes. Where something is wrong nothing happens any more: the end comes soon, and then it is
    /// said.
    fn step(&mut self, input: Input<'_>, out: &mut impl Outbox<Self>) {
        let By(class) = self.by;
        let mut answers = Vec::new();
        while !class.has_failed() {
            match class.step((&self.vars, &self.born), input, &answers) {
                // It begins again, with one answer more: what a step has done until then nobody has seen.
                Ok(Stepped::Asks(below)) => answers.push(out.choose(below)),
                Ok(Stepped::Done(vars, leader, sends)) => {
                    match class.decision(self.born.id, &leader) {
                        Ok(decision) => (self.vars, self.decision) = (vars, decision),
                        Err(error) => return class.fail(error),
                    }
                    for (port, msg) in sends {
                        out.send(T::from_index(port), msg);
                    }
                    return;
                }
                Err(error) => class.fail(error),
            }
        }
    }
}

impl<T: Port> Process for Own<T> {
    // What it is called and what it needs is in the table of classes. The class says whether it draws.
    const SPEC: Spec = Spec::election("python", 2026, "").draws();
    type Given = Born;
    type Port = T;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new(born: Born) -> Own<T> {
        let class = class(born.which).expect(KNOWN);
        let born = Born { id: born.id.filter(|_| class.has_ids), ..born };
        let nothing = (Vars::from([]), Val::Nothing);
        let made = if class.has_failed() { Ok(nothing.clone()) } else { class.birth(&born) };
        let decided = made.and_then(|(vars, leader)| Ok((vars, class.decision(born.id, &leader)?)));
        let (vars, decision) = decided.unwrap_or_else(|error| {
            class.fail(error);
            (nothing.0, Decision::NONE)
        });
        Own { by: By(class), born, vars, decision, port: PhantomData }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        self.step(Input::Start, out);
    }

    fn receive(&mut self, from: T, msg: Msg, out: &mut impl Outbox<Self>) {
        self.step(Input::Receive(from.index(), &msg), out);
    }
}

impl<T: Port> Election for Own<T> {
    fn outcome(&self) -> Decision {
        self.decision
    }
}

/// A class that somebody asks about: from when it is made until it is forgotten.
#[pyclass(frozen, module = "ringleader._native")]
pub(crate) struct Algorithm(&'static Class);

impl Drop for Algorithm {
    fn drop(&mut self) {
        self.0.is_busy.store(false, Ordering::Release);
    }
}

#[pymethods]
impl Algorithm {
    /// Of an `_algorithm.Description`, which is right as far as Python sees that.
    #[new]
    fn new(py: Python<'_>, description: Py<PyAny>) -> PyResult<Algorithm> {
        let all: Vec<&'static Class> = CLASSES.read().unwrap_or_else(PoisonError::into_inner).clone();
        for class in all {
            let is_free =
                || class.is_busy.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok();
            if class.description.bind(py).eq(&description)? && is_free() {
                *class.error.lock().unwrap_or_else(PoisonError::into_inner) = None;
                class.has_failed.store(false, Ordering::Relaxed);
                return Ok(Algorithm(class));
            }
        }
        Contract::read(description.bind(py))?.class(py, description)
    }

    /// The name under which it is reported.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.registry.get().and_then(|registry| registry.first()).map_or("", |entry| entry.spec.name)
    }
}

/// What a class says of itself.
#[derive(FromPyObject)]
struct Contract {
    name: String,
    file: String,
    year: u16,
    network: String,
    links: String,
    oriented: bool,
    reached: String,
    winner: String,
    informed: String,
    knows_n: bool,
    anonymous: bool,
    chooses: bool,
    kinds: Vec<(String, Vec<String>, bool)>,
    identity: Py<PyType>,
}

impl Contract {
    fn read(description: &Bound<'_, PyAny>) -> PyResult<Contract> {
        let contract: Contract = description.extract()?;
        if registry::find(app().registry, &contract.name).is_some() {
            let message = format!("an algorithm is called `{}` already", contract.name);
            return Err(bad(message).help(&format!("name = \"my-{}\"", contract.name)).into());
        }
        if contract.kinds.len() > KINDS_MAX {
            let message = format!("{} kinds of messages: the most is {KINDS_MAX}", contract.kinds.len());
            return Err(bad(message).help("a field can say what a message is about").into());
        }
        Ok(contract)
    }

    fn spec(&self) -> PyResult<Spec> {
        let links = self.one("links", &self.links, &[("fifo", Links::Fifo), ("bag", Links::Bag)])?;
        let reached =
            self.one("reached", &self.reached, &[("wakes", Reached::Wakes), ("relays", Reached::Relays)])?;
        let winners = [
            ("largest", Winner::Largest),
            ("largest-initiator", Winner::LargestInitiator),
            ("any-initiator", Winner::AnyInitiator),
            ("any", Winner::Any),
        ];
        let winner = self.one("winner", &self.winner, &winners)?;
        let informed = self.one(
            "informed",
            &self.informed,
            &[("all", Informed::All), ("initiators", Informed::Initiators)],
        )?;
        let spec =
            Spec::election("python", self.year, "").links(links).reached(reached).elects(winner, informed);
        let spec = if self.oriented { spec.oriented() } else { spec };
        let spec = if self.chooses { spec.draws() } else { spec };
        Ok(Spec { name: word(&self.name), file: word(&self.file), ..spec })
    }

    /// What a word stands for.
    fn one<T: Copy>(&self, what: &str, given: &str, known: &[(&str, T)]) -> PyResult<T> {
        let found = known.iter().find(|(word, _)| *word == given);
        found.map(|(_, means)| *means).ok_or_else(|| {
            let words: Vec<String> = known.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            bad(format!("{what} = \"{given}\" of `{}` is not known", self.name))
                .help(&format!("{what} = {}", words.join(" or ")))
                .into()
        })
    }

    /// The class of this contract, in use.
    fn class(self, py: Python<'_>, description: Py<PyAny>) -> PyResult<Algorithm> {
        let networks = [
            ("one-way ring", Shape::OneWayRing),
            ("two-way ring", Shape::TwoWayRing),
            ("complete", Shape::Edges),
        ];
        let network = self.one("network", &self.network, &networks)?;
        let spec = self.spec()?;
        let kinds: Vec<&'static str> = self.kinds.iter().map(|(name, ..)| word(name)).collect();
        let announces: Vec<bool> = self.kinds.iter().map(|(.., announces)| *announces).collect();
        let knows = [
            (!self.anonymous, Told::Identity),
            (self.knows_n, Told::Size),
            (network == Shape::Edges, Told::Degree),
        ];
        let told = knows.into_iter().filter(|(knows, _)| *knows).map(|(_, told)| Knowledge::one(told));
        let fields = |(name, fields, _): &(String, Vec<String>, bool)| Kind {
            name: word(name),
            fields: fields.iter().map(|field| word(field)).collect(),
        };
        let mut classes = CLASSES.write().unwrap_or_else(PoisonError::into_inner);
        let which = classes.len() as u32;
        let class: &'static Class = Box::leak(Box::new(Class {
            which,
            description,
            identity: self.identity.clone_ref(py),
            kinds: self.kinds.iter().map(fields).collect(),
            has_ids: !self.anonymous,
            registry: OnceLock::new(),
            is_busy: AtomicBool::new(true),
            has_failed: AtomicBool::new(false),
            error: Mutex::new(None),
        }));
        let described = Described {
            spec: Box::leak(Box::new(spec)),
            told: told.fold(Knowledge::NOTHING, Knowledge::and),
            kinds: kinds.leak(),
            announces: announces.leak(),
            which,
        };
        let entry = match network {
            Shape::OneWayRing => Entry::described::<Own<Next>>(described),
            Shape::TwoWayRing => Entry::described::<Own<Side>>(described),
            Shape::Edges | Shape::Named | Shape::Memory => Entry::described::<Own<Edge>>(described),
        };
        class.registry.get_or_init(|| registry::own(vec![entry].leak()));
        classes.push(class);
        Ok(Algorithm(class))
    }
}

/// What is asked about: an algorithm by its name, or a class.
#[derive(FromPyObject)]
pub(crate) enum Asked {
    Name(String),
    Class(Py<Algorithm>),
}

impl Asked {
    /// Who asks, and the name of the algorithm there.
    pub(crate) fn app(&self) -> (App, String) {
        match self {
            Asked::Name(name) => (app(), name.clone()),
            Asked::Class(own) => {
                let own = own.get();
                let registry = own.0.registry.get().copied().unwrap_or_default();
                (App { registry, ..app() }, own.name().to_owned())
            }
        }
    }

    /// What went wrong in Python meanwhile, if anything.
    pub(crate) fn went_well(&self) -> PyResult<()> {
        match self {
            Asked::Name(_) => Ok(()),
            Asked::Class(own) => {
                let error = own.get().0.error.lock().unwrap_or_else(PoisonError::into_inner).take();
                error.map_or(Ok(()), Err)
            }
        }
    }
}
