//! What a template names, with the places where it does: variables, filters, tests, functions, other templates.
//!
//! ```text
//! {{ tool.arguments.path | default(".") }}    a variable that may be absent, and the filter `default`
//! {% include "other" %}                       another template
//! ```

use std::{collections::HashSet, ops::Range};

use minijinja::machinery::{
    Span,
    ast::{BinOpKind, Call, CallArg, Expr, Macro, Spanned, Stmt},
    parse,
};

/// The steps of a variable, each with its place in the template.
pub(super) type Steps = [(String, Range<usize>)];

/// Something that a template names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) kind: NamedKind,
    /// Where it stands in the template.
    pub(super) range: Range<usize>,
}

/// What is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamedKind {
    /// `tool.arguments.path`, with the places of its steps.
    Variable {
        path: Vec<(String, Range<usize>)>,
        role: Role,
    },
    /// What stands behind a `|`.
    Filter(String),
    /// What stands behind an `is`.
    Test(String),
    /// `range(3)`
    Function(String),
    /// `text.upper()`, whose place begins with the dot.
    Method { name: String, takes_arguments: bool },
    /// `include`, `import`, `from` or `extends`.
    OtherTemplate(&'static str),
}

/// What becomes of a variable that has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is written out as `null`.
    Written,
    /// The template says what holds instead.
    Provided,
    /// Something is looked for in it, and the call fails.
    Entered,
    /// It is a part of something else.
    Part,
}

/// Everything that a template names from outside of it, in order; nothing where it cannot be read.
pub(super) fn names(template: &str) -> Vec<Named> {
    let mut walk = Walk {
        scopes: vec![HashSet::from(["self"])],
        found: Vec::new(),
    };
    if let Ok(tree) = parse(
        template,
        "<command>",
        minijinja::syntax::SyntaxConfig::default(),
    ) {
        walk.statement(&tree);
    }
    walk.found
}

struct Walk<'a> {
    /// The names that the template gives itself.
    scopes: Vec<HashSet<&'a str>>,
    found: Vec<Named>,
}

impl<'a> Walk<'a> {
    fn statements(&mut self, statements: &[Stmt<'a>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn scoped(&mut self, names: &[&'a str], body: impl FnOnce(&mut Self)) {
        self.scopes.push(names.iter().copied().collect());
        body(self);
        self.scopes.pop();
    }

    fn statement(&mut self, statement: &Stmt<'a>) {
        match statement {
            Stmt::Template(template) => self.statements(&template.children),
            Stmt::EmitExpr(emit) => self.expression(&emit.expr, Role::Written),
            Stmt::EmitRaw(_) => {}
            Stmt::ForLoop(each) => {
                self.expression(&each.iter, Role::Part);
                self.scoped(&["loop"], |walk| {
                    walk.bind(&each.target);
                    walk.optional(each.filter_expr.as_ref());
                    walk.statements(&each.body);
                });
                self.statements(&each.else_body);
            }
            Stmt::IfCond(condition) => {
                self.expression(&condition.expr, Role::Part);
                self.statements(&condition.true_body);
                self.statements(&condition.false_body);
            }
            Stmt::WithBlock(with) => self.scoped(&[], |walk| {
                for (target, value) in &with.assignments {
                    walk.expression(value, Role::Part);
                    walk.bind(target);
                }
                walk.statements(&with.body);
            }),
            Stmt::Set(set) => {
                self.expression(&set.expr, Role::Part);
                self.bind(&set.target);
            }
            Stmt::SetBlock(set) => {
                self.optional(set.filter.as_ref());
                self.statements(&set.body);
                self.bind(&set.target);
            }
            Stmt::AutoEscape(block) => self.statements(&block.body),
            Stmt::FilterBlock(block) => {
                self.expression(&block.filter, Role::Part);
                self.statements(&block.body);
            }
            Stmt::Block(block) => self.statements(&block.body),
            Stmt::Import(import) => {
                self.other_template("import", import.span());
                self.bind(&import.name);
            }
            Stmt::FromImport(import) => {
                self.other_template("from", import.span());
                for (name, alias) in &import.names {
                    self.bind(alias.as_ref().unwrap_or(name));
                }
            }
            Stmt::Extends(extends) => self.other_template("extends", extends.span()),
            Stmt::Include(include) => self.other_template("include", include.span()),
            Stmt::Macro(declared) => {
                self.give(declared.name);
                self.macro_body(declared);
            }
            Stmt::CallBlock(block) => {
                self.call(&block.call);
                self.macro_body(&block.macro_decl);
            }
            Stmt::Do(statement) => self.call(&statement.call),
        }
    }

    fn macro_body(&mut self, declared: &Macro<'a>) {
        self.scoped(&["caller", "varargs", "kwargs"], |walk| {
            for default in &declared.defaults {
                walk.expression(default, Role::Part);
            }
            for argument in &declared.args {
                walk.bind(argument);
            }
            walk.statements(&declared.body);
        });
    }

    fn give(&mut self, name: &'a str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name);
        }
    }

    /// Takes in the names that an assignment gives.
    fn bind(&mut self, target: &Expr<'a>) {
        match target {
            Expr::Var(name) => self.give(name.id),
            Expr::List(list) => list.items.iter().for_each(|item| self.bind(item)),
            Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.bind(item)),
            _ => {}
        }
    }

    fn is_given(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn optional(&mut self, expression: Option<&Expr<'a>>) {
        if let Some(expression) = expression {
            self.expression(expression, Role::Part);
        }
    }

    fn expression(&mut self, expression: &Expr<'a>, role: Role) {
        if let Some(path) = path(expression) {
            self.variable(path, role);
            return;
        }
        match expression {
            Expr::Var(_) | Expr::Const(_) => {}
            Expr::GetAttr(step) => self.expression(&step.expr, Role::Entered),
            Expr::GetItem(step) => {
                self.expression(&step.expr, Role::Entered);
                self.expression(&step.subscript_expr, Role::Part);
            }
            Expr::Slice(slice) => {
                self.expression(&slice.expr, Role::Part);
                self.optional(slice.start.as_ref());
                self.optional(slice.stop.as_ref());
                self.optional(slice.step.as_ref());
            }
            Expr::UnaryOp(operation) => self.expression(&operation.expr, Role::Part),
            Expr::BinOp(operation) => {
                let (left, right) = match operation.op {
                    BinOpKind::ScOr => (Role::Provided, role),
                    BinOpKind::ScAnd => (Role::Part, role),
                    _ => (Role::Part, Role::Part),
                };
                self.expression(&operation.left, left);
                self.expression(&operation.right, right);
            }
            Expr::Compare(comparison) => {
                self.expression(&comparison.expr, Role::Part);
                for operation in &comparison.ops {
                    self.expression(&operation.expr, Role::Part);
                }
            }
            Expr::IfExpr(choice) => {
                self.expression(&choice.test_expr, Role::Part);
                self.expression(&choice.true_expr, role);
                if let Some(otherwise) = &choice.false_expr {
                    self.expression(otherwise, role);
                }
            }
            Expr::Filter(filter) => {
                let operand = match filter.name {
                    "default" | "d" => Role::Provided,
                    _ => Role::Part,
                };
                if let Some(value) = &filter.expr {
                    self.expression(value, operand);
                }
                self.push(
                    NamedKind::Filter(filter.name.to_owned()),
                    start(filter.span(), filter.name),
                );
                self.arguments(&filter.args);
            }
            Expr::Test(test) => {
                let operand = match test.name {
                    "defined" | "undefined" | "none" => Role::Provided,
                    _ => Role::Part,
                };
                self.expression(&test.expr, operand);
                self.push(
                    NamedKind::Test(test.name.to_owned()),
                    start(test.span(), test.name),
                );
                self.arguments(&test.args);
            }
            Expr::Call(call) => self.call(call),
            Expr::List(list) => self.parts(&list.items),
            Expr::Tuple(tuple) => self.parts(&tuple.items),
            Expr::Map(map) => {
                self.parts(&map.keys);
                self.parts(&map.values);
            }
        }
    }

    fn parts(&mut self, parts: &[Expr<'a>]) {
        for part in parts {
            self.expression(part, Role::Part);
        }
    }

    fn arguments(&mut self, arguments: &[CallArg<'a>]) {
        for argument in arguments {
            match argument {
                CallArg::Pos(value)
                | CallArg::Kwarg(_, value)
                | CallArg::PosSplat(value)
                | CallArg::KwargSplat(value) => self.expression(value, Role::Part),
            }
        }
    }

    fn call(&mut self, call: &Spanned<Call<'a>>) {
        match &call.expr {
            Expr::Var(name) => {
                // `super` is the engine's own, and no variable.
                if name.id != "super" && !self.is_given(name.id) {
                    self.push(NamedKind::Function(name.id.to_owned()), range(name.span()));
                }
            }
            Expr::GetAttr(method) => {
                let base = path(&method.expr);
                let is_own = base
                    .as_ref()
                    .and_then(|path| path.first())
                    .is_some_and(|(root, _)| self.is_given(root));
                if let Some(base) = base.filter(|_| !is_own) {
                    let from = base.last().map_or(0, |(_, range)| range.end);
                    self.variable(base, Role::Entered);
                    self.push(
                        NamedKind::Method {
                            name: method.name.to_owned(),
                            takes_arguments: !call.args.is_empty(),
                        },
                        from..range(call.span()).end,
                    );
                } else {
                    self.expression(&method.expr, Role::Entered);
                }
            }
            callee => self.expression(callee, Role::Part),
        }
        self.arguments(&call.args);
    }

    fn variable(&mut self, path: Vec<(String, Range<usize>)>, role: Role) {
        let (Some((root, first)), Some((_, last))) = (path.first(), path.last()) else {
            return;
        };
        if !self.is_given(root) {
            let range = first.start..last.end;
            self.push(NamedKind::Variable { path, role }, range);
        }
    }

    fn other_template(&mut self, statement: &'static str, span: Span) {
        self.push(NamedKind::OtherTemplate(statement), range(span));
    }

    fn push(&mut self, kind: NamedKind, range: Range<usize>) {
        self.found.push(Named { kind, range });
    }
}

/// The steps of `a.b["c"]`, each with its place; nothing for any other expression.
fn path(expression: &Expr<'_>) -> Option<Vec<(String, Range<usize>)>> {
    match expression {
        Expr::Var(name) => Some(vec![(name.id.to_owned(), range(name.span()))]),
        Expr::GetAttr(step) => {
            let mut path = path(&step.expr)?;
            let end = range(step.span()).end;
            path.push((step.name.to_owned(), end - step.name.len().min(end)..end));
            Some(path)
        }
        Expr::GetItem(step) => {
            let Expr::Const(key) = &step.subscript_expr else {
                return None;
            };
            let name = key.value.as_str()?.to_owned();
            let mut path = path(&step.expr)?;
            let quoted = range(key.span());
            path.push((name, quoted.start + 1..quoted.end.max(quoted.start + 2) - 1));
            Some(path)
        }
        _ => None,
    }
}

fn range(span: Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

/// The place of a name that a span begins with.
fn start(span: Span, name: &str) -> Range<usize> {
    let start = span.start_offset as usize;
    start..start + name.len()
}
