//! Pagination: pages by number, and slices with a cursor.

/// The requested page of a list. Page numbers start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    pub page: u32,
    pub per_page: u32,
}

impl PageRequest {
    pub const DEFAULT_PER_PAGE: u32 = 20;
    pub const MAX_PER_PAGE: u32 = 100;

    /// The number of entries before the page.
    pub fn offset(self) -> u64 {
        u64::from(self.page - 1) * u64::from(self.per_page)
    }

    /// Cuts the page out of the whole list.
    pub fn slice<T>(self, items: Vec<T>) -> Page<T> {
        let total = items.len() as u64;
        let skipped = usize::try_from(self.offset()).unwrap_or(usize::MAX);
        let items = items.into_iter().skip(skipped).take(self.per_page as usize).collect();
        Page { items, total, request: self }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    Asc,
    #[default]
    Desc,
}

/// A page and the length of the whole list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub total: u64,
    pub request: PageRequest,
}

impl<T> Page<T> {
    pub fn total_pages(&self) -> u64 {
        self.total.div_ceil(u64::from(self.request.per_page))
    }

    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(change).collect(), total: self.total, request: self.request }
    }

    pub fn try_map<U>(self, change: impl FnMut(T) -> crate::Result<U>) -> crate::Result<Page<U>> {
        let items = self.items.into_iter().map(change).collect::<crate::Result<_>>()?;
        Ok(Page { items, total: self.total, request: self.request })
    }
}

/// The requested part of a list that begins after a position.
#[derive(Clone, Debug)]
pub struct SliceRequest {
    pub order: Order,
    pub limit: u32,
    pub after: Option<String>,
}

/// A part of a list and the position of the next part, for cursor pagination.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice<T> {
    pub items: Vec<T>,
    pub next: Option<String>,
}

impl<T> Slice<T> {
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Slice<U> {
        Slice { items: self.items.into_iter().map(change).collect(), next: self.next }
    }
}
