//! The list of the algorithms, which makes their modules, their exports and their entries in the registry.

/// One line for each algorithm: its folder, its process, and what else it exports.
macro_rules! catalogue {
    ($problem:ident $($vis:vis $folder:ident: $process:ident $(, $other:ident)*;)*) => {
        $(
            $vis mod $folder;
            pub use $folder::{$process $(, $other)*};
        )*

        /// All of them.
        #[cfg(all(feature = "algorithms", not(test)))]
        pub(crate) const ALL: [$crate::registry::Entry; [$(stringify!($folder)),*].len()] =
            [$($crate::registry::Entry::$problem::<$process>()),*];
    };
}
