//! Pages of a list of definitions.

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    pub page: u32,
    pub per_page: u32,
}

impl PageRequest {
    pub const DEFAULT_PER_PAGE: u32 = 20;
    pub const MAX_PER_PAGE: u32 = 100;

    /// How many entries stand before the page.
    pub fn offset(self) -> u64 {
        u64::from(self.page - 1) * u64::from(self.per_page)
    }

    /// The page's part of a whole list.
    pub fn of<T>(self, whole: Vec<T>) -> Page<T> {
        let total = whole.len() as u64;
        let skipped = usize::try_from(self.offset()).unwrap_or(usize::MAX);
        let items = whole.into_iter().skip(skipped).take(self.per_page as usize).collect();
        Page { items, total, request: self }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    Asc,
    #[default]
    Desc,
}

/// One page, and how long the whole list is.
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

/// A part of a list that grows, and where the next part begins.
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
