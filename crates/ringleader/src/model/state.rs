//! The state of a process, declared once: what pictures and tables show is derived from the declaration.

use super::{Fields, Show, Value};

/// The local variables of a process by name. Declared with [`state!`](crate::state).
pub trait State {
    /// What of them is drawn beside a process, and as what.
    const DRAWN: &'static [(&'static str, Drawn)] = &[];
    /// The variables in the order of their declaration.
    fn fields(&self) -> Fields;
}

/// What a variable is in a picture. Where it has no value, nothing is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Drawn {
    /// A process, or the port to it: an arrow.
    Pointer,
    /// The port towards the token, which is here where it leads nowhere: an arrow, or the token.
    Way,
    /// The token, which is here unless the value is nothing, no or elsewhere.
    Token,
    /// The request that has the vote of this process.
    Vote,
    /// Those whom it asks, each perhaps with what it said.
    Quorum,
    /// A logical clock.
    Clock,
    /// Those who wait for what this process does.
    Waiting,
    /// Whom it takes for the leader.
    Leader,
    /// Whether it has joined the race. Who has can win only while a message with its identity is on its way.
    Joined,
}

impl Drawn {
    /// The word for it, as it is declared and as pages read it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Drawn::Pointer => "pointer",
            Drawn::Way => "way",
            Drawn::Token => "token",
            Drawn::Vote => "vote",
            Drawn::Quorum => "quorum",
            Drawn::Clock => "clock",
            Drawn::Waiting => "waiting",
            Drawn::Leader => "leader",
            Drawn::Joined => "joined",
        }
    }
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
/// A variable begins with the value behind its `=`. One without is told at birth; what is `told` serves only to make
/// initial values, and is not kept.
///
/// A mode says behind `=>` what it decides: its process `leads`, it `loses`, it `follows` the one in a variable, or it
/// `knows` that one to lead, be it another or itself. Of these the line `outcome = |me| decision` makes the outcome of
/// an [`Election`](super::Election). A variable of type `Stage` is where the [`User`](super::User) stands.
///
/// A line `drawn = [name: kind]` says what pictures draw of the variables that are shown ([`Drawn`]): a `pointer`, the
/// `way` to the token, the `token`, a `vote`, a `quorum`, a `clock`, who is `waiting`, who is the `leader`, who has
/// `joined` the race.
///
/// ```
/// use ringleader::model::*;
/// state! {
///     /// One process.
///     pub struct Runner {
///         id: Id,
///         mode: Mode = Mode::AtRest,
///         hidden laps: u32 = 3,
///         tired = |me| me.laps > 2,
///         drawn = [by: leader],
///     }
///     /// What it does.
///     enum Mode {
///         AtRest,
///         Running { towards: Id } = "runs",
///         Home => leads,
///         Beaten { by: Id } => follows by,
///     }
/// }
/// let runner = Runner::begin(Id::from_rank(1));
/// let names: Vec<_> = runner.fields().iter().map(|(name, _)| *name).collect();
/// assert_eq!(names, ["id", "mode", "towards", "by", "tired"]);
/// assert_eq!(runner.fields()[1].1, Value::Word("at-rest"));
/// let running = Runner { mode: Mode::Running { towards: runner.id }, ..runner.clone() };
/// assert_eq!(running.fields()[1].1, Value::Word("runs"));
/// assert_eq!(running.mode.outcome(runner.id), Decision::NONE);
/// assert_eq!(Mode::Home.outcome(runner.id), Decision::leads(runner.id));
/// assert_eq!(Runner::DRAWN, [("by", Drawn::Leader)]);
/// ```
#[macro_export]
macro_rules! state {
    () => {};
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident $(<$param:ident: $bound:path>)? { $($body:tt)* } $($rest:tt)*
    ) => {
        $crate::state!(
            @struct ([$(#[$meta])*] [$vis] $name [$($param: $bound)?]) [] [] [] [] [] [] $($body)*
        );
        $crate::state!($($rest)*);
    };
    ($vis:vis enum $name:ident $modes:tt $($rest:tt)*) => {
        $crate::state! {
            /// What a process is, with the variables that it has then.
            $vis enum $name $modes $($rest)*
        }
    };
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident {
            $(
                $(#[$inner:meta])* $mode:ident
                $({ $($(#[$deep:meta])* $field:ident: $type:ty),* $(,)? })?
                $(= $word:literal)?
                $(=> $decides:ident $($known:ident)?)?
            ),+ $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

        impl $crate::model::Decides for $name {
            #[inline(always)]
            fn decides(&self) -> $crate::model::Decided {
                match self {
                    $($name::$mode { $($($known,)?)? .. } => {
                        $crate::state!(@decides $($decides $($known)?)?)
                    }),+
                }
            }
        }
        $crate::state!($($rest)*);
    };
    (@decides) => { $crate::model::Decided::Nothing };
    (@decides leads) => { $crate::model::Decided::Leads };
    (@decides loses) => { $crate::model::Decided::Loses };
    (@decides follows $leader:ident) => { $crate::model::Decided::Follows(*$leader) };
    (@decides knows $leader:ident) => { $crate::model::Decided::Knows(*$leader) };

    (@drawn pointer) => { $crate::model::Drawn::Pointer };
    (@drawn way) => { $crate::model::Drawn::Way };
    (@drawn token) => { $crate::model::Drawn::Token };
    (@drawn vote) => { $crate::model::Drawn::Vote };
    (@drawn quorum) => { $crate::model::Drawn::Quorum };
    (@drawn clock) => { $crate::model::Drawn::Clock };
    (@drawn waiting) => { $crate::model::Drawn::Waiting };
    (@drawn leader) => { $crate::model::Drawn::Leader };
    (@drawn joined) => { $crate::model::Drawn::Joined };

    // Variable by variable: what is stored, shown, told, told and stored, begun with a value; and what else it says.
    (@struct ([] $vis:tt $name:ident $params:tt) $($rest:tt)*) => {
        $crate::state!(@struct ([#[doc = "The local variables of one process."]] $vis $name $params) $($rest)*);
    };
    (
        @struct $head:tt $stored:tt $shown:tt [$($told:tt)*] $kept:tt $begun:tt $more:tt
        $(#[$inner:meta])* told $field:ident: $type:ty, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $head $stored $shown [$($told)* ($field $type)] $kept $begun $more $($rest)*
        );
    };
    (
        @struct $head:tt [$($stored:tt)*] $shown:tt [$($told:tt)*] [$($kept:tt)*] $begun:tt $more:tt
        $(#[$inner:meta])* hidden $field:ident: $type:ty, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $head [$($stored)* $(#[$inner])* $field: $type,] $shown [$($told)* ($field $type)]
            [$($kept)* $field] $begun $more $($rest)*
        );
    };
    (
        @struct $head:tt [$($stored:tt)*] $shown:tt $told:tt $kept:tt [$($begun:tt)*] $more:tt
        $(#[$inner:meta])* hidden $field:ident: $type:ty = $value:expr, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $head [$($stored)* $(#[$inner])* $field: $type,] $shown $told $kept
            [$($begun)* $field: $value,] $more $($rest)*
        );
    };
    (
        @struct $head:tt $stored:tt [$($shown:tt)*] $told:tt $kept:tt $begun:tt [$($more:tt)*]
        $(#[$inner:meta])* $field:ident: Stage $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $head $stored [$($shown)* (stored $field)] $told $kept $begun [$($more)* (user $field)]
            $(#[$inner])* hidden $field: $crate::model::Stage $($rest)*
        );
    };
    (
        @struct $head:tt $stored:tt [$($shown:tt)*] $told:tt $kept:tt $begun:tt $more:tt
        $(#[$inner:meta])* $field:ident: $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $head $stored [$($shown)* (stored $field)] $told $kept $begun $more
            $(#[$inner])* hidden $field: $($rest)*
        );
    };
    (
        @struct $head:tt $stored:tt $shown:tt $told:tt $kept:tt $begun:tt [$($more:tt)*]
        outcome = |$me:ident| $value:expr, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $head $stored $shown $told $kept $begun [$($more)* (outcome $me $value)] $($rest)*
        );
    };
    (
        @struct ([$($meta:tt)*] $vis:tt $name:ident $params:tt)
        $stored:tt $shown:tt $told:tt $kept:tt $begun:tt $more:tt
        drawn = [$($variable:ident: $kind:ident),+ $(,)?], $($rest:tt)*
    ) => {
        $crate::state!(
            @struct ([$($meta)*] $vis $name $params [$(($variable $kind))+]) $stored $shown $told $kept $begun $more
            $($rest)*
        );
    };
    (
        @struct $head:tt $stored:tt [$($shown:tt)*] $told:tt $kept:tt $begun:tt $more:tt
        $(#[$inner:meta])* $field:ident = |$me:ident| $value:expr, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $head $stored [$($shown)* (derived $field $me $value)] $told $kept $begun $more $($rest)*
        );
    };
    (
        @struct $head:tt $stored:tt [$($shown:tt)*] $told:tt $kept:tt $begun:tt $more:tt
        ..|$me:ident| $value:expr, $($rest:tt)*
    ) => {
        $crate::state!(
            @struct $head $stored [$($shown)* (more $me $value)] $told $kept $begun $more $($rest)*
        );
    };
    (
        @struct ($meta:tt $vis:tt $name:ident $params:tt $($drawn:tt)?) $stored:tt $shown:tt $told:tt $kept:tt $begun:tt
        [$($more:tt)*]
    ) => {
        $crate::state!(@declared $meta $vis $name $params $stored $shown $($drawn)?);
        $crate::state!(@begun $name $params $told $kept $begun);
        $($crate::state!(@more $name $params $more);)*
    };
    (
        @declared [$($meta:tt)+] [$vis:vis] $name:ident [$($param:ident: $bound:path)?]
        [$($stored:tt)*] [$(($($shown:tt)*))*] $([$(($variable:ident $kind:ident))+])?
    ) => {
        $($meta)+
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        $vis struct $name $(<$param: $bound>)? { $($stored)* }

        impl $(<$param: $bound>)? $crate::model::State for $name $(<$param>)? {
            $(
                const DRAWN: &'static [(&'static str, $crate::model::Drawn)] =
                    &[$((stringify!($variable), $crate::state!(@drawn $kind))),+];
            )?
            fn fields(&self) -> $crate::model::Fields {
                #[allow(unused_mut, reason = "a process may have nothing of its own to show")]
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
    (@begun $name:ident $params:tt $told:tt $kept:tt []) => {};
    (
        @begun $name:ident [$($param:ident: $bound:path)?] [$(($told:ident $type:ty))*] [$($kept:ident)*]
        [$($begun:tt)+]
    ) => {
        #[allow(unused_parens, reason = "what is told alone is no tuple")]
        impl $(<$param: $bound>)? $crate::model::Begins for $name $(<$param>)? {
            type Given = ($($type),*);

            fn begin(($($told),*): Self::Given) -> Self {
                $name { $($kept,)* $($begun)+ }
            }
        }
    };
    (@more $name:ident [$($param:ident: $bound:path)?] (user $user:ident)) => {
        impl $(<$param: $bound>)? $crate::model::User for $name $(<$param>)? {
            #[inline]
            fn stage(&self) -> $crate::model::Stage {
                self.$user
            }
        }
    };
    (@more $name:ident [$($param:ident: $bound:path)?] (outcome $me:ident $value:expr)) => {
        impl $(<$param: $bound>)? $crate::model::Election for $name $(<$param>)? {
            #[inline(always)] // lanes ask after every step
            fn outcome(&self) -> $crate::model::Decision {
                let $me = self;
                $value
            }
        }
    };
}

/// The types of a process: its ports; timers and local steps only if it has any. Its messages are called `Msg`, its
/// rules `Rule`. It begins as its state is declared; where there is more to do for that, it says what it is given, and
/// has a `new` of its own. `types! { Local = …, Register = … }` is one of processes that share registers and send
/// nothing.
///
/// ```
/// use ringleader::model::*;
/// # messages! { pub enum Msg { "hello" Hello } }
/// # rules! {
/// #     /// nothing
/// #     Start,
/// # }
/// state! { pub struct Quiet { id: Id, greeted: bool = false, } }
/// impl Process for Quiet {
///     const SPEC: Spec = Spec::election("quiet", 2026, "");
///     types! { Port = Next }
///
///     fn receive(&mut self, _: Next, Msg::Hello {}: Msg, _: &mut impl Outbox<Quiet>) {
///         self.greeted = true;
///     }
/// }
/// ```
#[macro_export]
macro_rules! types {
    (@or_never) => { $crate::model::Never };
    (@or_never $type:ty) => { $type };
    (Port = $($rest:tt)+) => {
        $crate::types! { Given = <Self as $crate::model::Begins>::Given, Port = $($rest)+ }

        fn new(given: Self::Given) -> Self {
            $crate::model::Begins::begin(given)
        }
    };
    (Local = $local:ty, Register = $register:ty) => {
        $crate::types! { Given = <Self as $crate::model::Begins>::Given, Local = $local, Register = $register }

        fn new(given: Self::Given) -> Self {
            $crate::model::Begins::begin(given)
        }
    };
    (Given = $given:ty, Local = $local:ty, Register = $register:ty) => {
        type Given = $given;
        type Port = $crate::model::Never;
        type Msg = $crate::model::Never;
        type Rule = Rule;
        type Timer = $crate::model::Never;
        type Local = $local;
        type Register = $register;

        fn receive(&mut self, port: Self::Port, _: Self::Msg, _: &mut impl $crate::model::Outbox<Self>) {
            match port {}
        }
    };
    (Given = $given:ty, Port = $port:ty $(, Timer = $timer:ty)? $(, Local = $local:ty)?
        $(, Register = $register:ty)?) => {
        type Given = $given;
        type Port = $port;
        type Msg = Msg;
        type Rule = Rule;
        type Timer = $crate::types!(@or_never $($timer)?);
        type Local = $crate::types!(@or_never $($local)?);
        type Register = $crate::types!(@or_never $($register)?);
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
