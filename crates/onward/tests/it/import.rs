//! What an import does to the store, seen through the chain query.
