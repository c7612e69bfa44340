//! Idempotency tokens: a retry of a transaction whose answer was lost changes nothing.
//!
//! Commits are serial, so a token is looked up and remembered with the commit of its transaction. Both take constant time.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// How long a token is remembered, as in DynamoDB.
const WINDOW: Duration = Duration::from_secs(600);
/// The most remembered tokens. They take about 4 MB, and retries follow within seconds.
const MAX_TOKENS: usize = 50_000;

/// The token of a transaction, with a digest of its writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    pub id: u128,
    pub digest: u64,
}

impl Token {
    /// A token as clients send it: a UUID as a rule, and otherwise any text.
    pub fn from_text(text: &str, digest: u64) -> Self {
        let hash = |salt: u8| u128::from(BuildHasherDefault::<DefaultHasher>::default().hash_one((salt, text)));
        let id = text.parse::<Uuid>().map_or_else(|_| hash(0) << 64 | hash(1), |uuid| uuid.as_u128());
        Self { id, digest }
    }
}

/// What is known of a token.
#[derive(Debug, PartialEq)]
pub enum Known {
    New,
    /// Its transaction was committed.
    Committed,
    /// It belongs to other writes.
    Reused,
}

/// The tokens of committed transactions.
pub struct Tokens {
    digests: HashMap<u128, u64>,
    /// The tokens, oldest first.
    by_age: VecDeque<(Instant, u128)>,
    max: usize,
}

impl Default for Tokens {
    fn default() -> Self {
        Self { digests: HashMap::new(), by_age: VecDeque::new(), max: MAX_TOKENS }
    }
}

impl Tokens {
    pub fn find(&self, token: &Token) -> Known {
        match self.digests.get(&token.id) {
            None => Known::New,
            Some(digest) if *digest == token.digest => Known::Committed,
            Some(_) => Known::Reused,
        }
    }

    /// Remembers the token, and forgets those that are older than the window.
    pub fn remember(&mut self, Token { id, digest }: Token, now: Instant) {
        while let Some((at, oldest)) = self.by_age.front()
            && (self.by_age.len() >= self.max || now.saturating_duration_since(*at) >= WINDOW)
        {
            self.digests.remove(oldest);
            self.by_age.pop_front();
        }
        self.by_age.push_back((now, id));
        self.digests.insert(id, digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str, digest: u64) -> Token {
        Token::from_text(text, digest)
    }

    #[test]
    fn tokens_are_forgotten_after_the_window_and_beyond_the_limit() {
        let start = Instant::now();
        let mut tokens = Tokens { max: 2, ..Tokens::default() };
        tokens.remember(token("a", 1), start);
        assert_eq!(tokens.find(&token("a", 1)), Known::Committed);
        assert_eq!(tokens.find(&token("a", 2)), Known::Reused);
        tokens.remember(token("b", 1), start + WINDOW);
        assert_eq!(tokens.find(&token("a", 1)), Known::New);
        tokens.remember(token("c", 1), start + WINDOW);
        tokens.remember(token("d", 1), start + WINDOW);
        assert_eq!([tokens.digests.len(), tokens.by_age.len()], [2, 2]);
        assert_eq!(tokens.find(&token("d", 1)), Known::Committed);
    }
}
