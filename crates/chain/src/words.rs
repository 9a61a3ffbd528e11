//! Enums whose values are words of requests, answers and the store.

/// Defines an enum with a word for each value: `words! { pub enum End { Top = "top", Bottom = "bottom", } }`.
///
/// `ALL` has the values in their order, and `as_str` and `parse` write and read the exact word.
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        $visible:vis enum $name:ident {
            $($(#[$doc:meta])* $value:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visible enum $name {
            $($(#[$doc])* #[doc = concat!("`", $word, "`")] $value,)+
        }

        impl $name {
            /// All values.
            $visible const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The word.
            $visible const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// Reads the exact word; anything else is `None`.
            $visible fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == text)
            }
        }
    };
}
