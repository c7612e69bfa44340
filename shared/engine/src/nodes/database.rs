//! The node type `database`: performs SQL statements at PostgreSQL or MySQL, in one transaction.

use domain::language::Translated;
use domain::run::OnUncertain;
use domain::translated;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::Cel;
use super::policy::Policies;
use super::sql::sql_problem;
use super::{Category, FieldWarning, Fields, NodeAction, NodeKind, NodeResult, Operation, StepError};
use crate::schema::FieldProblem;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseNode<V = Cel> {
    /// The protocol that the server speaks; MariaDB speaks that of MySQL.
    #[schema(inline)]
    pub server: DatabaseServer,
    /// The name or the address of the server.
    #[schema(min_length = 1, max_length = 253, pattern = "^[A-Za-z0-9.-]+$", example = "db.example.com")]
    pub host: String,
    /// 5432 by default, and 3306 with `mysql`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 65535, nullable = false)]
    pub port: Option<u16>,
    /// The name of the database.
    #[schema(min_length = 1, max_length = 64, pattern = "^[^\\u0000]+$", example = "shop")]
    pub database: String,
    /// Whether the connection must be encrypted, with a certificate of the server; `tls` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub security: Option<DatabaseSecurity>,
    /// A credential of the type `basic`: the user and the password at the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub credential_id: Option<Uuid>,
    /// The statements, in their order. All of them take effect, or none. The value of the node has the rows of the last one.
    #[schema(inline, min_items = 1, max_items = 20)]
    pub statements: Vec<SqlStatement<V>>,
    /// Whether the server refuses to change anything; false by default. Such a node can always be repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub read_only: Option<bool>,
    /// With more rows the node fails; 1,000 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 10000, nullable = false)]
    pub max_rows: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SqlStatement<V = Cel> {
    /// One statement of SQL, as it is: no template. The placeholders `$1`, `$2` of PostgreSQL and `?` of MySQL are values.
    #[schema(min_length = 1, max_length = 20000, pattern = "^[^\\u0000]+$", example = "SELECT name FROM orders WHERE id = $1")]
    pub sql: String,
    /// The values of the placeholders: a list, such as `[input.order, input.name]`. None if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline, nullable = false)]
    pub parameters: Option<V>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseServer {
    Postgresql,
    Mysql,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseSecurity {
    /// The connection is encrypted before the user is named.
    #[default]
    Tls,
    /// Nothing is encrypted: for servers in a private network. The password is used, but never sent.
    None,
}

impl DatabaseServer {
    pub fn default_port(self) -> u16 {
        match self {
            Self::Postgresql => 5432,
            Self::Mysql => 3306,
        }
    }
}

impl<V> DatabaseNode<V> {
    pub fn is_read_only(&self) -> bool {
        self.read_only == Some(true)
    }
}

impl NodeKind for DatabaseNode {
    const NAME: &'static str = "database";
    const CATEGORY: Category = Category::Integration;
    const DESCRIPTION: Translated = Translated::new(
        "Performs SQL at PostgreSQL or MySQL, in one transaction; its value is {rows, rowCount, affectedRows, lastInsertId}. \
         Each row is an object. Decimals, and integers beyond 2^53, are texts.",
        "Ejecuta SQL en PostgreSQL o MySQL, en una transacción; su valor es {rows, rowCount, affectedRows, lastInsertId}. \
         Cada fila es un objeto. Los decimales, y los enteros de más de 2^53, son textos.",
    );
    const EFFECTS: bool = true;
    const LOGS_IN: bool = true;
    const POLICIES: Policies = Policies::EFFECT;
    const ON_UNCERTAIN: OnUncertain = OnUncertain::Ask;

    fn example() -> Value {
        json!({
            "server": "postgresql", "host": "db.example.com", "database": "shop", "readOnly": true,
            "statements": [
                {"sql": "SELECT id, name, total FROM orders WHERE customer = $1", "parameters": "[input.customer]"},
            ],
        })
    }

    fn output_schema(&self, _port: &str) -> Value {
        let count = json!({"type": "integer", "minimum": 0});
        json!({
            "type": "object", "required": ["rows", "rowCount", "affectedRows", "lastInsertId"],
            "additionalProperties": false,
            "properties": {
                "rows": {"type": "array", "items": {"type": "object"}}, "rowCount": count, "affectedRows": count,
                "lastInsertId": {"type": ["integer", "string", "null"]},
            },
        })
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let statements = self.statements.iter().enumerate();
        let problems = statements.filter_map(|(index, statement)| {
            let problem = sql_problem(&statement.sql)?;
            Some((format!("statements[{index}].sql"), problem))
        });
        problems.collect()
    }

    fn warnings(&self) -> Vec<FieldWarning> {
        let mut warnings = Vec::new();
        if self.credential_id.is_none() {
            let message = translated!(
                "is missing; set the credential with the user and the password",
                "falta; indique la credencial con el usuario y la contraseña"
            );
            warnings.push(FieldWarning { code: "credential_missing", field: "credentialId", message });
        }
        // A server in a private network often has no certificate, so this is no problem. The password itself is never sent.
        if self.security == Some(DatabaseSecurity::None) {
            let message = translated!(
                "the statements and the rows are not encrypted; use `none` only in a private network",
                "las sentencias y las filas no se cifran; use `none` solo en una red privada"
            );
            warnings.push(FieldWarning { code: "connection_not_encrypted", field: "security", message });
        }
        warnings
    }

    fn credential(&self) -> Option<(Uuid, &'static str)> {
        self.credential_id.map(|id| (id, "credentialId"))
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let node = fields.evaluate::<DatabaseNode<Value>>()?;
        for (index, statement) in node.statements.iter().enumerate() {
            let problem = match &statement.parameters {
                Some(Value::Array(values)) if values.len() > MAX_PARAMETERS => {
                    format!("has {} values, the maximum is {MAX_PARAMETERS}; use several statements", values.len())
                }
                None | Some(Value::Array(_)) => continue,
                Some(_) => "the value must be a list, such as [input.order]".to_owned(),
            };
            let message = format!("config.statements[{index}].parameters: {problem}");
            return Err(StepError::new("invalid_value", message));
        }
        Ok(NodeAction::Due(Operation::Database(node).into()))
    }
}

/// How many values a statement may have.
const MAX_PARAMETERS: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_without_encryption_is_a_warning() {
        let mut config = DatabaseNode::example();
        let warned = |config: &Value| {
            let node: DatabaseNode = serde_json::from_value(config.clone()).unwrap();
            assert_eq!(node.problems(), []);
            node.warnings().into_iter().map(|FieldWarning { code, field, .. }| (code, field)).collect::<Vec<_>>()
        };
        assert_eq!(warned(&config), [("credential_missing", "credentialId")]);
        config["credentialId"] = json!("d3b07384-d113-4ec6-a7a5-000000000000");
        assert!(warned(&config).is_empty());
        config["security"] = json!("none");
        assert_eq!(warned(&config), [("connection_not_encrypted", "security")]);
    }
}
