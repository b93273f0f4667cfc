--- What goes over the wire, for the language server of Lua; nothing is loaded from here.
---@meta

---@class jp.Prompt What is asked: the parameters of `jp/prompt`.
---@field id string
---@field digest string Names exactly what is approved.
---@field conversation string
---@field kind 'run'|'edit'|'result'|'question'|'delta'
---@field title string
---@field message string
---@field label string? Who asks, when the config says so.
---@field context string? What a tool wants to be seen before the question.
---@field tool { name: string, callId: string }
---@field rule { index: integer?, uri: string, range: lsp.Range }?
---@field preview table?
---@field question { text: string, answerType: { type: 'boolean'|'select'|'text'|'secret', options: string[]? }, default: any }?
---@field delta { changes: table[], before: string, after: string, loosens: string[] }?
---@field actions { id: string, title: string }[]
---@field choices jp.Choice[]? Every way to decide, in the server's words.

---@class jp.Choice A way to decide.
---@field title string
---@field effect { answer: jp.Answer }|'reason'|'edit'|'details'

---@class jp.Answer What a person decided: the result of `jp/prompt`.
---@field action 'approve'|'reject'|'edit'|'answer'|'cancel'|'details'
---@field value any
---@field remember 'turn'?
---@field reason string?
---@field arguments string? JSON.
