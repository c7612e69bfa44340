//! The resources of a workbench, and how their quantities are read and written.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::quantity::Quantity;

/// A resource with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResourceDimension {
    /// In thousandths of a core.
    Cpu,
    /// In bytes.
    Memory,
    /// In MiB.
    Gpumem,
    /// In bytes.
    Storage,
}

/// An amount of each resource, in the unit of its dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    pub cpu: u64,
    pub memory: u64,
    pub gpumem: u64,
    pub storage: u64,
}

const MIB: u64 = 1 << 20;
/// Kubernetes stores quantities as 64-bit integers with a sign.
const MAX: i128 = i64::MAX as i128;

impl ResourceDimension {
    pub const ALL: [Self; 4] = [Self::Cpu, Self::Memory, Self::Gpumem, Self::Storage];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Gpumem => "gpumem",
            Self::Storage => "storage",
        }
    }

    /// Reads a quantity in the notation of Kubernetes. Returns the problem if it is no amount of this resource.
    pub fn read(self, text: &str) -> Result<u64, String> {
        let quantity: Quantity = text.parse().map_err(|problem| format!("{problem}"))?;
        if quantity.is_negative() {
            return Err("must not be negative".to_owned());
        }
        let amount = match self {
            Self::Cpu => quantity.whole_milli().ok_or("must be a whole number of millicores")?,
            // A binary suffix with a fraction, such as 1.1Gi, is rounded up to a whole byte.
            Self::Memory | Self::Storage if quantity.is_binary() => quantity.ceil(),
            Self::Memory | Self::Storage => quantity.whole().ok_or("must be a whole number of bytes")?,
            Self::Gpumem => read_mib(text, quantity).ok_or("must be a whole number of MiB")?,
        };
        let most = if self == Self::Gpumem { MAX / i128::from(MIB) } else { MAX };
        match amount {
            0 if self != Self::Gpumem => Err("must be greater than zero".to_owned()),
            amount if amount <= most => Ok(amount as u64),
            _ => Err("is too large".to_owned()),
        }
    }

    /// Prints an amount in canonical form.
    pub fn print(self, amount: u64) -> String {
        match self {
            Self::Cpu => Quantity::milli(amount).to_string(),
            Self::Memory | Self::Storage => Quantity::binary(amount).to_string(),
            Self::Gpumem => Quantity::mebi(amount).to_string(),
        }
    }
}

/// GPU memory without a suffix is a number of MiB. With a suffix, it is a number of bytes.
fn read_mib(text: &str, quantity: Quantity) -> Option<i128> {
    let number = quantity.whole()?;
    if text.bytes().all(|c| c.is_ascii_digit() || c == b'+' || c == b'.') {
        return Some(number);
    }
    let mib = i128::from(MIB);
    (number % mib == 0).then_some(number / mib)
}

impl fmt::Display for ResourceDimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Resources {
    pub const fn get(&self, dimension: ResourceDimension) -> u64 {
        match dimension {
            ResourceDimension::Cpu => self.cpu,
            ResourceDimension::Memory => self.memory,
            ResourceDimension::Gpumem => self.gpumem,
            ResourceDimension::Storage => self.storage,
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_add(other.cpu),
            memory: self.memory.saturating_add(other.memory),
            gpumem: self.gpumem.saturating_add(other.gpumem),
            storage: self.storage.saturating_add(other.storage),
        }
    }

    /// The first dimension of which there is more than in `limit`.
    pub fn exceeding(&self, limit: &Self) -> Option<ResourceDimension> {
        ResourceDimension::ALL.into_iter().find(|dimension| self.get(*dimension) > limit.get(*dimension))
    }

    /// Reads a list such as `cpu=8,memory=16Gi,gpumem=0,storage=100Gi`, which names every dimension once.
    pub fn read_list(text: &str) -> Result<Self, String> {
        let mut amounts = [None; 4];
        for entry in text.split(',') {
            let (name, quantity) = entry.split_once('=').ok_or_else(|| format!("{entry}: must be name=quantity"))?;
            let (name, quantity) = (name.trim(), quantity.trim());
            let index = ResourceDimension::ALL.iter().position(|dimension| dimension.as_str() == name);
            let index = index.ok_or_else(|| format!("{name}: must be cpu, memory, gpumem or storage"))?;
            let amount =
                ResourceDimension::ALL[index].read(quantity).map_err(|problem| format!("{name}: {problem}"))?;
            if amounts[index].replace(amount).is_some() {
                return Err(format!("{name}: is named twice"));
            }
        }
        match amounts {
            [Some(cpu), Some(memory), Some(gpumem), Some(storage)] => Ok(Self { cpu, memory, gpumem, storage }),
            _ => Err("must name cpu, memory, gpumem and storage".to_owned()),
        }
    }

    /// The canonical quantity of a dimension.
    pub fn print(&self, dimension: ResourceDimension) -> String {
        dimension.print(self.get(dimension))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::ResourceDimension::{Cpu, Gpumem, Memory, Storage};
    use super::Resources;

    #[test]
    fn quantities_become_whole_amounts_and_canonical_texts() {
        for (dimension, text, amount, canonical) in [
            (Cpu, "2", 2_000, "2"),
            (Cpu, "0.5", 500, "500m"),
            (Cpu, "1500m", 1_500, "1500m"),
            (Cpu, "1e3", 1_000_000, "1k"),
            (Memory, "4Gi", 4 << 30, "4Gi"),
            (Memory, "1.5Gi", 3 << 29, "1536Mi"),
            (Memory, "0.1Gi", 107_374_183, "107374183"),
            (Memory, "4096M", 4_096_000_000, "4000000Ki"),
            (Storage, "1Ti", 1 << 40, "1Ti"),
            (Storage, "1k", 1_000, "1k"),
            (Gpumem, "16384", 16_384, "16Gi"),
            (Gpumem, "+16384", 16_384, "16Gi"),
            (Gpumem, "16Gi", 16_384, "16Gi"),
            (Gpumem, "1Mi", 1, "1Mi"),
            (Gpumem, "0", 0, "0"),
            (Gpumem, "1536", 1_536, "1536Mi"),
        ] {
            let found = dimension.read(text);
            assert_eq!(found, Ok(amount), "{dimension} {text}");
            assert_eq!(dimension.print(amount), canonical, "{dimension} {text}");
        }
    }

    #[test]
    fn quantities_that_are_no_amount_are_refused() {
        for (dimension, text, problem) in [
            (Cpu, "0", "must be greater than zero"),
            (Cpu, "-1", "must not be negative"),
            (Cpu, "100u", "must be a whole number of millicores"),
            (Cpu, "0.0001", "must be a whole number of millicores"),
            (Memory, "0", "must be greater than zero"),
            (Memory, "1500m", "must be a whole number of bytes"),
            (Memory, "1.5", "must be a whole number of bytes"),
            (Memory, "12E", "is too large"),
            (Storage, "-0.5Gi", "must not be negative"),
            (Gpumem, "1.5", "must be a whole number of MiB"),
            (Gpumem, "500m", "must be a whole number of MiB"),
            (Gpumem, "1k", "must be a whole number of MiB"),
            (Gpumem, "1Ki", "must be a whole number of MiB"),
            (Cpu, "1e2147483648", "is too long or too large"),
            (Memory, "1 Gi", "must be a number with an optional suffix, such as 500m, 2, 1.5Gi or 1e3"),
        ] {
            assert_eq!(dimension.read(text), Err(problem.to_owned()), "{dimension} {text}");
        }
    }

    #[test]
    fn lists_name_every_dimension() {
        let expected = Resources { cpu: 8_000, memory: 16 << 30, gpumem: 0, storage: 100 << 30 };
        assert_eq!(Resources::read_list("cpu=8, memory=16Gi, gpumem=0, storage=100Gi"), Ok(expected));
        for wrong in ["", "cpu=8", "cpu=8,memory=1Gi,gpumem=0,disk=1Gi", "cpu,memory=1Gi,gpumem=0,storage=1Gi"] {
            assert!(Resources::read_list(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_amount_is_read_back(amount in 1..=u64::MAX / 2) {
            for dimension in [Cpu, Memory, Storage] {
                prop_assert_eq!(dimension.read(&dimension.print(amount)), Ok(amount));
            }
            let mib = amount >> 20;
            prop_assert_eq!(Gpumem.read(&Gpumem.print(mib)), Ok(mib));
        }
    }
}
