//! A deserializer that accepts `24604.0` for integer fields, as JSON Schema does. Other values are passed on unchanged.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};

use crate::number::exact_integer;

pub struct WholeNumbers<T>(pub T);

struct Reading<V> {
    visitor: V,
    is_integer: bool,
}

fn any<V>(visitor: V) -> Reading<V> {
    Reading { visitor, is_integer: false }
}

macro_rules! forward {
    ($($method:ident($($argument:ident: $type:ty),*), integer: $is_integer:expr;)+) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Self::Error> {
            self.0.$method($($argument,)* Reading { visitor, is_integer: $is_integer })
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for WholeNumbers<D> {
    type Error = D::Error;

    forward! {
        deserialize_i8(), integer: true;
        deserialize_i16(), integer: true;
        deserialize_i32(), integer: true;
        deserialize_i64(), integer: true;
        deserialize_i128(), integer: true;
        deserialize_u8(), integer: true;
        deserialize_u16(), integer: true;
        deserialize_u32(), integer: true;
        deserialize_u64(), integer: true;
        deserialize_u128(), integer: true;
        deserialize_any(), integer: false;
        deserialize_bool(), integer: false;
        deserialize_f32(), integer: false;
        deserialize_f64(), integer: false;
        deserialize_char(), integer: false;
        deserialize_str(), integer: false;
        deserialize_string(), integer: false;
        deserialize_bytes(), integer: false;
        deserialize_byte_buf(), integer: false;
        deserialize_option(), integer: false;
        deserialize_unit(), integer: false;
        deserialize_unit_struct(name: &'static str), integer: false;
        deserialize_newtype_struct(name: &'static str), integer: false;
        deserialize_seq(), integer: false;
        deserialize_tuple(len: usize), integer: false;
        deserialize_tuple_struct(name: &'static str, len: usize), integer: false;
        deserialize_map(), integer: false;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]), integer: false;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]), integer: false;
        deserialize_identifier(), integer: false;
        deserialize_ignored_any(), integer: false;
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! visit {
    ($($method:ident($type:ty),)+) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.visitor.$method(value)
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Reading<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.visitor.expecting(f)
    }

    visit! {
        visit_bool(bool),
        visit_i64(i64),
        visit_i128(i128),
        visit_u64(u64),
        visit_u128(u128),
        visit_char(char),
        visit_str(&str),
        visit_borrowed_str(&'de str),
        visit_string(String),
        visit_bytes(&[u8]),
        visit_borrowed_bytes(&'de [u8]),
        visit_byte_buf(Vec<u8>),
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        match exact_integer(value).filter(|_| self.is_integer) {
            Some(whole) => match u64::try_from(whole) {
                Ok(whole) => self.visitor.visit_u64(whole),
                Err(_) => self.visitor.visit_i64(whole),
            },
            None => self.visitor.visit_f64(value),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, reader: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(WholeNumbers(reader))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, reader: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_newtype_struct(WholeNumbers(reader))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_seq(WholeNumbers(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(WholeNumbers(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_enum(WholeNumbers(variant))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for WholeNumbers<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(WholeNumbers(reader))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for WholeNumbers<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(WholeNumbers(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WholeNumbers<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(WholeNumbers(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for WholeNumbers<A> {
    type Error = A::Error;
    type Variant = WholeNumbers<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        self.0.variant_seed(seed).map(|(name, variant)| (name, WholeNumbers(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for WholeNumbers<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(WholeNumbers(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, any(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, any(visitor))
    }
}
