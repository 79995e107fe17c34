//! Sections of numbers: what a key is called, its kind and bounds, and the field that it stands for, once.

/// Makes a section that serde reads and writes, of the structure that it stands for: `key: Kind = field`. What is not
/// said is as the structure is by default.
#[macro_export]
#[doc(hidden)]
macro_rules! section {
    (
        $(#[$doc:meta])* $name:ident of $whole:ty {
            $($key:ident: $kind:ident $(<$($bound:tt),+>)? = $first:ident $(.$next:ident)* $([$place:literal])?;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(super) struct $name {
            $($key: $kind $(<$($bound),+>)?,)*
        }

        impl $name {
            /// What may be said, in the order in which it is written.
            pub(super) const KEYS: &[&str] = &[$(stringify!($key)),*];

            pub(super) fn whole(self) -> $whole {
                let mut whole = <$whole>::default();
                $(whole.$first$(.$next)*$([$place])? = self.$key.0;)*
                whole
            }
        }

        impl From<&$whole> for $name {
            fn from(whole: &$whole) -> $name {
                $name { $($key: $kind(whole.$first$(.$next)*$([$place])?),)* }
            }
        }

        impl Default for $name {
            fn default() -> $name {
                $name::from(&<$whole>::default())
            }
        }
    };
}
