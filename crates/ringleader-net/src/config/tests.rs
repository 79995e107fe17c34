//! What a configuration may say, and where it says what it may not.
