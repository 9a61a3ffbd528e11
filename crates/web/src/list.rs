//! A page of a list, in the format of document 2.

use serde::Serialize;
use utoipa::ToSchema;

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct List<T> {
    /// The entries of this page.
    pub data: Vec<T>,
    /// The position of this page among all pages.
    pub meta: Meta,
}

/// `meta` of a paged answer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PageMeta)]
pub struct Meta {
    /// Where in the whole list this page is.
    pub pagination: Pagination,
}

/// Figures of a paged answer.
// Document 1's query has a schema `Pagination` of its own.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PagePosition)]
pub struct Pagination {
    /// Entries in all.
    #[schema(minimum = 0)]
    pub total: i64,
    /// Entries on a page.
    #[schema(minimum = 1)]
    pub per_page: i64,
    /// Counted from 1.
    #[schema(minimum = 1)]
    pub current_page: i64,
    /// At least 1.
    #[schema(minimum = 1)]
    pub last_page: i64,
}

/// A body that has the single member `data`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Data<T> {
    /// The requested data.
    pub data: T,
}
