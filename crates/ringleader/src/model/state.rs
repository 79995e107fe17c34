//! The state of a process, declared once: what pictures and tables show is derived from the declaration.

use super::{Fields, Show, Value};

/// The local variables of a process by name. Declared with [`state!`](crate::state).
pub trait State {
    /// The variables in the order of their declaration.
    fn fields(&self) -> Fields;
}

/// A variable that can be shown under a name: one value, or a mode with the variables that it has.
pub trait Shown {
    /// Appends it.
    fn shown(&self, name: &'static str, fields: &mut Fields);
}

impl<T: Show> Shown for T {
    fn shown(&self, name: &'static str, fields: &mut Fields) {
        fields.push((name, self.show()));
    }
}

/// Sets a variable where it stands, or appends it.
#[doc(hidden)]
pub fn set_field(fields: &mut Fields, name: &'static str, value: Value) {
    match fields.iter_mut().find(|(known, _)| *known == name) {
        Some(field) => field.1 = value,
        None => fields.push((name, value)),
    }
}

/// Appends a variable; one of the same name goes.
#[doc(hidden)]
pub fn derive_field(fields: &mut Fields, name: &'static str, value: Value) {
    fields.retain(|(known, _)| *known != name);
    fields.push((name, value));
}

/// Declares the state of a process: a struct, and the modes that it may be in.
///
/// What is declared is what is shown, in this order. A mode is shown by its name in small letters (`AwaitOne` as
/// `await-one`, unless it says otherwise), followed by the variables of all modes; those that it does not have are
/// empty. A `hidden` variable is not shown. A line `name = |me| value` shows what is derived from the others, in the
/// place of a variable of that name if there is one. A line `..|me| fields` shows what is only there at times.
///
/// ```
/// use ringleader::model::*;
/// state! {
///     /// One process.
///     pub struct Runner {
///         id: Id,
///         mode: Mode,
///         hidden laps: u32,
///         tired = |me| me.laps > 2,
///     }
///     /// What it does.
///     enum Mode {
///         AtRest,
///         Running { towards: Id } = "runs",
///     }
/// }
/// let runner = Runner { id: Id::from_rank(1), mode: Mode::AtRest, laps: 3 };
/// let names: Vec<_> = runner.fields().iter().map(|(name, _)| *name).collect();
/// assert_eq!(names, ["id", "mode", "towards", "tired"]);
/// assert_eq!(runner.fields()[1].1, Value::Word("at-rest"));
/// let runner = Runner { mode: Mode::Running { towards: runner.id }, ..runner };
/// assert_eq!(runner.fields()[1].1, Value::Word("runs"));
/// ```
#[macro_export]
macro_rules! state {
    () => {};
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident $(<$param:ident: $bound:path>)? { $($body:tt)* } $($rest:tt)*
    ) => {
        $crate::state!(@struct [$(#[$meta])*] [$vis] $name [$($param: $bound)?] [] [] $($body)*);
        $crate::state!($($rest)*);
    };
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident {
            $(
                $(#[$inner:meta])* $mode:ident
                $({ $($(#[$deep:meta])* $field:ident: $type:ty),* $(,)? })?
                $(= $word:literal)?
            ),+ $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        $vis enum $name { $($(#[$inner])* $mode $({ $($(#[$deep])* $field: $type),* })?),+ }

        impl $crate::model::Shown for $name {
            fn shown(&self, name: &'static str, fields: &mut $crate::model::Fields) {
                let word = match self { $($name::$mode { .. } => $crate::word!($mode $(= $word)?)),+ };
                fields.push((name, $crate::model::Value::Word(word)));
                let all: &[&'static str] = &[$($($(stringify!($field),)*)?)+];
                for name in all {
                    $crate::model::set_field(fields, name, $crate::model::Value::Nothing);
                }
                match self {
                    $($name::$mode { $($($field),*)? } => {
                        $($($crate::model::set_field(
                            fields,
                            stringify!($field),
                            $crate::model::Show::show($field),
                        );)*)?
                    }),+
                }
            }
        }
        $crate::state!($($rest)*);
    };
    (
        @struct $meta:tt $vis:tt $name:ident $params:tt [$($stored:tt)*] [$($shown:tt)*]
        $(#[$inner:meta])* hidden $field:ident: $type:ty, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $meta $vis $name $params [$($stored)* $(#[$inner])* $field: $type,] [$($shown)*] $($rest)*
        );
    };
    (
        @struct $meta:tt $vis:tt $name:ident $params:tt [$($stored:tt)*] [$($shown:tt)*]
        $(#[$inner:meta])* $field:ident: $type:ty, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $meta $vis $name $params
            [$($stored)* $(#[$inner])* $field: $type,] [$($shown)* (stored $field)] $($rest)*
        );
    };
    (
        @struct $meta:tt $vis:tt $name:ident $params:tt $stored:tt [$($shown:tt)*]
        $(#[$inner:meta])* $field:ident = |$me:ident| $value:expr, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $meta $vis $name $params $stored [$($shown)* (derived $field $me $value)] $($rest)*
        );
    };
    (
        @struct $meta:tt $vis:tt $name:ident $params:tt $stored:tt [$($shown:tt)*]
        ..|$me:ident| $value:expr, $($rest:tt)*
    ) => {
        $crate::state!(@struct $meta $vis $name $params $stored [$($shown)* (more $me $value)] $($rest)*);
    };
    (@struct [] $vis:tt $name:ident $params:tt $stored:tt [$(($($shown:tt)*))*]) => {
        $crate::state!(
            @struct [#[doc = "The local variables of one process."]] $vis $name $params $stored [$(($($shown)*))*]
        );
    };
    (
        @struct [$($meta:tt)+] [$vis:vis] $name:ident [$($param:ident: $bound:path)?]
        [$($stored:tt)*] [$(($($shown:tt)*))*]
    ) => {
        $($meta)+
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        $vis struct $name $(<$param: $bound>)? { $($stored)* }

        impl $(<$param: $bound>)? $crate::model::State for $name $(<$param>)? {
            fn fields(&self) -> $crate::model::Fields {
                let mut fields = $crate::model::Fields::new();
                $($crate::state!(@show self fields $($shown)*);)*
                fields
            }
        }
    };
    (@show $self:ident $fields:ident stored $field:ident) => {
        $crate::model::Shown::shown(&$self.$field, stringify!($field), &mut $fields)
    };
    (@show $self:ident $fields:ident derived $field:ident $me:ident $value:expr) => {
        let $me = $self;
        $crate::model::derive_field(&mut $fields, stringify!($field), $crate::model::Show::show(&$value))
    };
    (@show $self:ident $fields:ident more $me:ident $value:expr) => {
        let $me = $self;
        $fields.extend($value)
    };
}

/// The types of a process: what it is given, and its ports; timers and local steps only if it has any. Its messages are
/// called `Msg`, its rules `Rule`.
///
/// ```
/// use ringleader::model::*;
/// # messages! { pub enum Msg { "hello" Hello } }
/// # rules! {
/// #     /// nothing
/// #     Start,
/// # }
/// # state! { pub struct Quiet { id: Id, } }
/// impl Process for Quiet {
///     const SPEC: Spec = Spec::election("quiet", 2026, "");
///     types! { Given = Id, Port = Next }
///
///     fn new(id: Id) -> Quiet {
///         Quiet { id }
///     }
///     fn receive(&mut self, _: Next, Msg::Hello {}: Msg, _: &mut impl Outbox<Quiet>) {}
/// }
/// ```
#[macro_export]
macro_rules! types {
    (@or_never) => { $crate::model::Never };
    (@or_never $type:ty) => { $type };
    (Given = $given:ty, Port = $port:ty $(, Timer = $timer:ty)? $(, Local = $local:ty)?) => {
        type Given = $given;
        type Port = $port;
        type Msg = Msg;
        type Rule = Rule;
        type Timer = $crate::types!(@or_never $($timer)?);
        type Local = $crate::types!(@or_never $($local)?);
    };
}

/// The rules of an algorithm, as the book has them. Declared with [`rules!`](crate::rules).
pub trait Rules: Copy + 'static {
    /// All of them, in the order of the book.
    const ALL: &'static [super::RuleText];
    /// The name that transcripts print.
    fn name(self) -> &'static str;
}

impl Rules for super::Never {
    const ALL: &'static [super::RuleText] = &[];
    fn name(self) -> &'static str {
        match self {}
    }
}

/// Declares the rules of an algorithm: the pseudo-code as a comment, then the rule. Transcripts print its name in small
/// letters (`GiveUp` as `give-up`), unless it says otherwise.
///
/// ```
/// use ringleader::model::*;
/// rules! {
///     /// send my identity
///     Start,
///     /// on a smaller identity: nothing
///     Swallow = "swallows",
/// }
/// assert_eq!(Rule::Start.name(), "start");
/// assert_eq!(<Rule as Rules>::ALL[1].name, "swallows");
/// assert_eq!(<Rule as Rules>::ALL[1].text, "on a smaller identity: nothing");
/// ```
#[macro_export]
macro_rules! rules {
    ($($(#[doc = $text:literal])+ $rule:ident $(= $word:literal)?),+ $(,)?) => {
        /// The rules, in the order of the book.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule { $($(#[doc = $text])+ $rule),+ }

        impl $crate::model::Rules for Rule {
            const ALL: &'static [$crate::model::RuleText] = &[$($crate::model::RuleText {
                name: $crate::word!($rule $(= $word)?),
                text: concat!($($text),+).trim_ascii(),
            }),+];

            fn name(self) -> &'static str {
                Self::ALL[self as usize].name
            }
        }
    };
}

/// A name of the program in small letters, with `-` between its words; or the word that is given for it.
#[doc(hidden)]
#[macro_export]
macro_rules! word {
    ($name:ident = $word:literal) => {
        $word
    };
    ($name:ident) => {
        const {
            const BYTES: [u8; $crate::model::word_len(stringify!($name))] =
                $crate::model::word_bytes(stringify!($name));
            match core::str::from_utf8(&BYTES) {
                Ok(word) => word,
                Err(_) => panic!("names are written in ASCII"),
            }
        }
    };
}

/// How long a name is in small letters.
#[doc(hidden)]
#[must_use]
pub const fn word_len(name: &str) -> usize {
    let name = name.as_bytes();
    let (mut place, mut len) = (0, name.len());
    while place < name.len() {
        if place > 0 && name[place].is_ascii_uppercase() {
            len += 1;
        }
        place += 1;
    }
    len
}

/// A name in small letters.
#[doc(hidden)]
#[must_use]
pub const fn word_bytes<const N: usize>(name: &str) -> [u8; N] {
    let name = name.as_bytes();
    let mut bytes = [b'-'; N];
    let (mut place, mut at) = (0, 0);
    while place < name.len() {
        if place > 0 && name[place].is_ascii_uppercase() {
            at += 1;
        }
        bytes[at] = name[place].to_ascii_lowercase();
        (place, at) = (place + 1, at + 1);
    }
    bytes
}
