//! Writes the statements of Python as JavaScript.

use std::collections::{BTreeSet, HashMap};

use super::lexer::Refusal;
use super::literals::{operation, quote_all};
use super::names::{is_exception, variable};
use super::scopes::{assigned, defined, outer, target_names};
use super::tree::{Argument, Expr, Function, Parameter, Statement, Try};

pub type Written<T = String> = Result<T, Refusal>;

/// The writer, with the names that are known at the current place.
pub struct Writer<'t> {
    /// The variables of the enclosing functions.
    pub scopes: Vec<BTreeSet<String>>,
    /// The names of imported modules and members, with their paths.
    pub imports: HashMap<String, String>,
    /// The parameters of the functions of the code. None for a name with several functions.
    pub functions: HashMap<&'t str, Option<&'t [Parameter]>>,
    text: String,
    indent: usize,
    temporaries: usize,
    /// The names of the caught exceptions.
    caught: Vec<String>,
}

/// The whole module.
pub fn write(module: &[Statement]) -> Written {
    let mut writer = Writer {
        scopes: Vec::new(),
        // The code around `main` in Dify imports it.
        imports: HashMap::from([("json".to_owned(), "json".to_owned())]),
        functions: HashMap::new(),
        text: String::new(),
        indent: 0,
        temporaries: 0,
        caught: Vec::new(),
    };
    writer.collect(module);
    writer.open_scope(module, BTreeSet::new())?;
    writer.statements(module)?;
    Ok(writer.text)
}

impl<'t> Writer<'t> {
    /// Finds all imports and functions.
    fn collect(&mut self, body: &'t [Statement]) {
        for statement in body {
            match statement {
                Statement::Import(module, name) => drop(self.imports.insert(name.clone(), module.clone())),
                Statement::ImportFrom(module, member, name) => {
                    self.imports.insert(name.clone(), format!("{module}.{member}"));
                }
                Statement::Define(function) => {
                    let parameters = Some(&function.parameters[..]);
                    self.functions.entry(&function.name).and_modify(|known| *known = None).or_insert(parameters);
                    self.collect(&function.body);
                }
                Statement::If(branches, otherwise) => {
                    branches.iter().for_each(|(_, body)| self.collect(body));
                    self.collect(otherwise);
                }
                Statement::For(_, _, body) | Statement::While(_, body) => self.collect(body),
                Statement::Try(attempt) => {
                    [&attempt.body, &attempt.otherwise, &attempt.finally]
                        .into_iter()
                        .for_each(|body| self.collect(body));
                    attempt.handlers.iter().for_each(|handler| self.collect(&handler.body));
                }
                _ => {}
            }
        }
    }

    /// Declares the variables of a function or of the module.
    fn open_scope(&mut self, body: &[Statement], parameters: BTreeSet<String>) -> Written<()> {
        let (mut names, mut functions, mut outside) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        assigned(body, &mut names);
        defined(body, &mut functions);
        outer(body, &mut outside);
        names.retain(|name| !outside.contains(name));
        if let Some(name) = names.intersection(&functions).next() {
            return Err(format!("`{name}` is a function and a variable"));
        }
        let own: Vec<String> = names.difference(&parameters).map(|name| variable(name)).collect();
        if !own.is_empty() {
            self.line(&format!("let {};", own.join(", ")));
        }
        names.extend(parameters);
        names.extend(functions);
        self.scopes.push(names);
        Ok(())
    }

    pub fn is_variable(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    pub fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("$t{}", self.temporaries)
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn block(&mut self, head: &str, body: &'t [Statement]) -> Written<()> {
        self.line(head);
        self.indent += 1;
        self.statements(body)?;
        self.indent -= 1;
        Ok(())
    }

    fn statements(&mut self, body: &'t [Statement]) -> Written<()> {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'t Statement) -> Written<()> {
        match statement {
            Statement::Pass | Statement::Outer(_) | Statement::Import(..) | Statement::ImportFrom(..) => {}
            // A text alone is documentation.
            Statement::Expr(Expr::Text(_)) => {}
            Statement::Expr(value) => {
                let value = self.value(value)?;
                self.line(&format!("{value};"));
            }
            Statement::Assign(targets, value) => self.assign(targets, value)?,
            Statement::Update(target, operator, value) => self.update(target, operator, value)?,
            Statement::If(branches, otherwise) => self.choice(branches, otherwise)?,
            Statement::For(target, items, body) => {
                let items = self.iterated(items)?;
                let (head, first) = self.loop_head(target, &items)?;
                self.line(&head);
                self.indent += 1;
                first.into_iter().for_each(|line| self.line(&line));
                self.statements(body)?;
                self.indent -= 1;
                self.line("}");
            }
            Statement::While(condition, body) => {
                let condition = self.condition(condition)?;
                self.block(&format!("while ({condition}) {{"), body)?;
                self.line("}");
            }
            Statement::Try(attempt) => self.attempt(attempt)?,
            Statement::Return(value) => {
                let value = value.as_ref().map_or(Ok("null".to_owned()), |value| self.value(value))?;
                self.line(&format!("return {value};"));
            }
            Statement::Raise(raised) => {
                let raised = self.raised(raised.as_ref())?;
                self.line(&format!("throw {raised};"));
            }
            Statement::Delete(targets) => {
                for target in targets {
                    let Expr::Index(of, index) = target else { return Err("`del` of a variable".to_owned()) };
                    let (of, index) = (self.value(of)?, self.value(index)?);
                    self.line(&format!("$del({of}, {index});"));
                }
            }
            Statement::Assert(condition, message) => {
                let condition = self.condition(condition)?;
                let message = message.as_ref().map_or(Ok("undefined".to_owned()), |message| self.value(message))?;
                self.line(&format!("if (!({condition})) throw $error(\"AssertionError\", {message});"));
            }
            Statement::Break => self.line("break;"),
            Statement::Continue => self.line("continue;"),
            Statement::Define(function) => self.function(function)?,
        }
        Ok(())
    }

    /// The head of a loop over written items, and the first lines of its body.
    fn loop_head(&mut self, target: &Expr, items: &str) -> Written<(String, Option<String>)> {
        if let Expr::Name(name) = target {
            return Ok((format!("for ({} of {items}) {{", variable(name)), None));
        }
        let item = self.temporary();
        let (pattern, count) = self.pattern(target)?;
        Ok((format!("for (const {item} of {items}) {{"), Some(format!("{pattern} = $unpack({item}, {count});"))))
    }

    /// A list of targets as a pattern of JavaScript, and their number.
    pub fn pattern(&mut self, target: &Expr) -> Written<(String, usize)> {
        let (Expr::Tuple(items) | Expr::List(items)) = target else {
            return Err("an assignment to an unusual target".to_owned());
        };
        let mut parts = Vec::new();
        for item in items {
            parts.push(match item {
                Expr::Name(name) => variable(name),
                Expr::Tuple(_) => self.pattern(item)?.0,
                _ => return Err("an assignment to an unusual target".to_owned()),
            });
        }
        Ok((format!("[{}]", parts.join(", ")), items.len()))
    }

    fn assign(&mut self, targets: &'t [Expr], value: &'t Expr) -> Written<()> {
        let mut value = self.value(value)?;
        if targets.len() > 1 {
            let name = self.temporary();
            self.line(&format!("const {name} = {value};"));
            value = name;
        }
        for target in targets {
            let line = match target {
                Expr::Name(name) => format!("{} = {value};", variable(name)),
                Expr::Index(of, index) => format!("$set({}, {}, {value});", self.value(of)?, self.value(index)?),
                Expr::Tuple(items) if items.iter().any(|item| matches!(item, Expr::Index(..))) => {
                    let name = self.temporary();
                    self.line(&format!("const {name} = $unpack({value}, {});", items.len()));
                    for (place, item) in items.iter().enumerate() {
                        let line = match item {
                            Expr::Name(target) => format!("{} = {name}[{place}];", variable(target)),
                            Expr::Index(of, index) => {
                                format!("$set({}, {}, {name}[{place}]);", self.value(of)?, self.value(index)?)
                            }
                            _ => return Err("an assignment to an unusual target".to_owned()),
                        };
                        self.line(&line);
                    }
                    continue;
                }
                target => {
                    let (pattern, count) = self.pattern(target)?;
                    // A statement that begins with a bracket needs the `;` of the one before it, which it always has.
                    format!("{pattern} = $unpack({value}, {count});")
                }
            };
            self.line(&line);
        }
        Ok(())
    }

    fn update(&mut self, target: &'t Expr, operator: &'static str, value: &'t Expr) -> Written<()> {
        let function = |of: String, value: String| match operator {
            "+" => Ok(format!("$iadd({of}, {value})")),
            operator => operation(operator, &of, &value),
        };
        let given = self.value(value)?;
        let line = match target {
            Expr::Name(name) if operator == "+" && self.is_text(value) && !matches!(value, Expr::Name(_)) => {
                let name = variable(name);
                format!("{name} = $add({name}, {given});")
            }
            Expr::Name(name) => {
                let name = variable(name);
                format!("{name} = {};", function(name.clone(), given)?)
            }
            Expr::Index(of, index) if is_simple(of) && is_simple(index) => {
                let (of, index) = (self.value(of)?, self.value(index)?);
                format!("$set({of}, {index}, {});", function(format!("$at({of}, {index})"), given)?)
            }
            _ => return Err(format!("`{operator}=` of an unusual target")),
        };
        self.line(&line);
        Ok(())
    }

    fn choice(&mut self, branches: &'t [(Expr, Vec<Statement>)], otherwise: &'t [Statement]) -> Written<()> {
        // A module that Dify runs is not `__main__`.
        if let [(Expr::Compare(left, _), _)] = branches
            && matches!(&**left, Expr::Name(name) if name == "__name__")
        {
            return Ok(());
        }
        for (place, (condition, body)) in branches.iter().enumerate() {
            let condition = self.condition(condition)?;
            self.block(&format!("{} ({condition}) {{", if place == 0 { "if" } else { "} else if" }), body)?;
        }
        if !otherwise.is_empty() {
            self.block("} else {", otherwise)?;
        }
        self.line("}");
        Ok(())
    }

    fn attempt(&mut self, attempt: &'t Try) -> Written<()> {
        let passed = (!attempt.otherwise.is_empty()).then(|| self.temporary());
        if let Some(passed) = &passed {
            self.line(&format!("let {passed} = false;"));
        }
        if !attempt.finally.is_empty() && passed.is_some() {
            return Err("`try` with `else` and `finally`".to_owned());
        }
        self.block("try {", &attempt.body)?;
        if let Some(passed) = &passed {
            self.line(&format!("  {passed} = true;"));
        }
        if !attempt.handlers.is_empty() {
            let caught = self.temporary();
            self.line(&format!("}} catch ({caught}) {{"));
            self.indent += 1;
            self.caught.push(caught.clone());
            let mut catches_all = false;
            for (place, handler) in attempt.handlers.iter().enumerate() {
                let kinds = handler.kinds.clone().unwrap_or_else(|| vec!["BaseException".to_owned()]);
                if let Some(unknown) = kinds.iter().find(|kind| !is_exception(kind)) {
                    return Err(format!("the exception `{unknown}`"));
                }
                let else_word = if place == 0 { "" } else { "} else " };
                catches_all = kinds.iter().any(|kind| kind == "Exception" || kind == "BaseException");
                let test = format!("$catches({caught}, {})", quote_all(&kinds));
                match (catches_all, place) {
                    (true, 0) => self.line("{"),
                    (true, _) => self.line("} else {"),
                    (false, _) => self.line(&format!("{else_word}if ({test}) {{")),
                }
                self.indent += 1;
                if let Some(name) = &handler.name {
                    self.line(&format!("{} = {caught};", variable(name)));
                }
                self.statements(&handler.body)?;
                self.indent -= 1;
                if catches_all {
                    break;
                }
            }
            self.line(&if catches_all { "}".to_owned() } else { format!("}} else throw {caught};") });
            self.caught.pop();
            self.indent -= 1;
        }
        if !attempt.finally.is_empty() {
            self.block("} finally {", &attempt.finally)?;
        }
        self.line("}");
        if let Some(passed) = passed {
            self.block(&format!("if ({passed}) {{"), &attempt.otherwise)?;
            self.line("}");
        }
        Ok(())
    }

    fn raised(&mut self, raised: Option<&'t Expr>) -> Written {
        match raised {
            None => self.caught.last().cloned().ok_or_else(|| "`raise` outside of `except`".to_owned()),
            Some(Expr::Name(name)) if is_exception(name) && !self.is_variable(name) => {
                Ok(format!("$error(\"{name}\")"))
            }
            Some(Expr::Name(name)) if self.is_variable(name) => Ok(variable(name)),
            Some(call @ Expr::Call(of, _)) if matches!(&**of, Expr::Name(name) if is_exception(name)) => {
                self.value(call)
            }
            Some(_) => Err("`raise` of an unusual value".to_owned()),
        }
    }

    fn function(&mut self, function: &'t Function) -> Written<()> {
        let mut parameters = Vec::new();
        for Parameter { name, default } in &function.parameters {
            let default = match default {
                None => String::new(),
                Some(value) if is_constant(value) => format!(" = {}", self.value(value)?),
                Some(_) => return Err("a default that is computed".to_owned()),
            };
            parameters.push(format!("{}{default}", variable(name)));
        }
        self.line(&format!("function {}({}) {{", variable(&function.name), parameters.join(", ")));
        self.indent += 1;
        let names = function.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        self.open_scope(&function.body, names)?;
        let caught = std::mem::take(&mut self.caught);
        self.statements(&function.body)?;
        self.caught = caught;
        if !matches!(function.body.last(), Some(Statement::Return(_) | Statement::Raise(_))) {
            self.line("return null;");
        }
        self.scopes.pop();
        self.indent -= 1;
        self.line("}");
        Ok(())
    }

    /// The targets of a comprehension, as variables of its own.
    pub fn own_targets(&mut self, targets: &[&Expr]) {
        let mut names = BTreeSet::new();
        targets.iter().for_each(|target| target_names(target, &mut names));
        self.scopes.push(names);
    }
}

/// Whether evaluating the expression twice is the same as once.
pub fn is_simple(value: &Expr) -> bool {
    match value {
        Expr::Name(_) | Expr::Text(_) | Expr::Number(_) | Expr::None | Expr::Bool(_) => true,
        Expr::Index(of, index) => is_simple(of) && is_simple(index),
        Expr::Negative(value) => is_simple(value),
        _ => false,
    }
}

fn is_constant(value: &Expr) -> bool {
    matches!(value, Expr::None | Expr::Bool(_) | Expr::Number(_) | Expr::Text(_))
        || matches!(value, Expr::Negative(value) if matches!(**value, Expr::Number(_)))
}

/// The values of plain arguments, and the named ones.
pub fn split_arguments(arguments: &[Argument]) -> (Vec<&Expr>, Vec<(&str, &Expr)>) {
    let (mut plain, mut named) = (Vec::new(), Vec::new());
    for argument in arguments {
        match argument {
            Argument::Plain(value) => plain.push(value),
            Argument::Named(name, value) => named.push((name.as_str(), value)),
        }
    }
    (plain, named)
}
