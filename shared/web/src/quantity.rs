//! Resources on the wire: quantities in the notation of Kubernetes.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;
use utoipa::ToSchema;

use domain::Error;
use domain::workbench::{ResourceDimension, Resources};

/// A quantity, as text or as a number.
#[derive(Clone, Debug, ToSchema)]
#[schema(as = Quantity)]
#[expect(dead_code, reason = "the variants only describe the schema")]
#[serde(untagged)]
enum QuantitySchema {
    #[schema(example = "500m")]
    Text(String),
    Number(f64),
}

/// The text of a quantity. A number is read like its text.
#[derive(Clone, Debug, Serialize)]
struct QuantityIn(String);

impl<'de> Deserialize<'de> for QuantityIn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            _ => Err(de::Error::custom("must be a quantity, such as \"500m\", \"4Gi\" or 2")),
        }
    }
}

/// Resources in the notation of Kubernetes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ResourcesIn)]
pub struct ResourcesIn {
    /// Cores, or millicores with the suffix `m`.
    #[schema(value_type = QuantitySchema)]
    cpu: QuantityIn,
    /// Bytes, with a suffix such as `Gi`.
    #[schema(value_type = QuantitySchema)]
    memory: QuantityIn,
    /// The memory of the GPU: MiB without a suffix, or bytes with a suffix such as `Gi`. Null or 0: no GPU.
    #[schema(value_type = Option<QuantitySchema>)]
    gpumem: Option<QuantityIn>,
    /// Bytes, with a suffix such as `Gi`.
    #[schema(value_type = QuantitySchema)]
    storage: QuantityIn,
}

impl ResourcesIn {
    /// Reads the resources in a field of a body.
    pub fn from_field(field: &str, value: &Value) -> domain::Result<Self> {
        if !value.is_object() {
            return Err(Error::invalid_body(field, "must be an object"));
        }
        serde_path_to_error::deserialize(value).map_err(|error| {
            let path = match error.path().to_string() {
                path if path == "." => field.to_owned(),
                path => format!("{field}.{path}"),
            };
            Error::invalid_body(path, error.into_inner())
        })
    }

    /// The amounts. The error names the resource whose quantity is malformed, and the problem.
    pub fn read(&self) -> Result<Resources, (ResourceDimension, String)> {
        let read = |dimension: ResourceDimension, quantity: &QuantityIn| {
            dimension.read(&quantity.0).map_err(|problem| (dimension, problem))
        };
        Ok(Resources {
            cpu: read(ResourceDimension::Cpu, &self.cpu)?,
            memory: read(ResourceDimension::Memory, &self.memory)?,
            gpumem: self.gpumem.as_ref().map_or(Ok(0), |quantity| read(ResourceDimension::Gpumem, quantity))?,
            storage: read(ResourceDimension::Storage, &self.storage)?,
        })
    }
}

/// Resources in the canonical notation of Kubernetes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Resources)]
pub struct ResourcesOut {
    #[schema(example = "500m")]
    cpu: String,
    #[schema(example = "4Gi")]
    memory: String,
    #[schema(example = "16Gi")]
    gpumem: String,
    #[schema(example = "20Gi")]
    storage: String,
}

impl From<&Resources> for ResourcesOut {
    fn from(resources: &Resources) -> Self {
        Self {
            cpu: resources.print(ResourceDimension::Cpu),
            memory: resources.print(ResourceDimension::Memory),
            gpumem: resources.print(ResourceDimension::Gpumem),
            storage: resources.print(ResourceDimension::Storage),
        }
    }
}
