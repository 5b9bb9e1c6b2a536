/** Items of Responses as steps of an interaction. */

import { parseArguments } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'

export const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Steps for one item of an answer; none for a kind that interactions do not have. */
export function stepsOf(item: JsonObject): JsonObject[] {
  switch (item.type) {
    case 'message':
      return [{ type: 'model_output', content: listOf(item.content).map(textOf) }]
    case 'reasoning':
      return [thoughtOf(item)]
    case 'function_call':
      return [{ ...callHead(item), arguments: parseArguments(textIn(item.arguments)) ?? {} }]
    case 'custom_tool_call':
      return [{ ...callHead(item), arguments: { input: item.input } }]
    case 'web_search_call':
      return [{ type: 'google_search_call', id: item.id, arguments: { queries: queriesOf(item.action) } }]
    case 'code_interpreter_call':
      return executed(item)
    case 'mcp_call':
      return served(item)
    case 'image_generation_call':
      return typeof item.result === 'string'
        ? [
            {
              type: 'model_output',
              content: [{ type: 'image', mime_type: `image/${textIn(item.output_format) || 'png'}`, data: item.result }],
            },
          ]
        : []
    default:
      return []
  }
}

/** The beginning of a call. */
export const callHead = (item: JsonObject): JsonObject => ({ type: 'function_call', id: item.call_id, name: item.name })

const links = (annotations: unknown): JsonObject[] =>
  listOf(annotations).map((one) =>
    one.type === 'file_citation' ? { type: 'file_citation', file_name: one.filename, source: one.file_id } : one,
  )

function textOf(part: JsonObject): JsonObject {
  if (part.type === 'refusal') return { type: 'text', text: part.refusal }
  const annotations = links(part.annotations)
  return { type: 'text', text: textIn(part.text), ...(annotations.length > 0 && { annotations }) }
}

function thoughtOf(item: JsonObject): JsonObject {
  const said = [...listOf(item.summary), ...listOf(item.content)].map(({ text }) => ({ type: 'text', text }))
  return {
    type: 'thought',
    ...(typeof item.encrypted_content === 'string' && { signature: item.encrypted_content }),
    ...(said.length > 0 && { summary: said }),
  }
}

function queriesOf(action: unknown): string[] {
  if (!isObject(action)) return []
  const asked: unknown[] = Array.isArray(action.queries) ? action.queries : [action.query]
  return asked.filter((query): query is string => typeof query === 'string')
}

function executed(item: JsonObject): JsonObject[] {
  const logs = listOf(item.outputs).flatMap(({ logs: said }) => (typeof said === 'string' ? [said] : []))
  const call = { type: 'code_execution_call', id: item.id, arguments: { language: 'python', code: textIn(item.code) } }
  return [
    call,
    { type: 'code_execution_result', call_id: item.id, result: logs.join(''), ...(item.status === 'failed' && { is_error: true }) },
  ]
}

function served(item: JsonObject): JsonObject[] {
  const head = { name: item.name, server_name: item.server_label }
  const call = { type: 'mcp_server_tool_call', id: item.id, ...head, arguments: parseArguments(textIn(item.arguments)) ?? {} }
  return [call, { type: 'mcp_server_tool_result', call_id: item.id, ...head, result: textIn(item.output) || textIn(item.error) }]
}

/** An item of a question as a step. */
export function askedStep(item: JsonObject): JsonObject[] {
  if (item.type === 'function_call_output') {
    const { output } = item
    return [
      { type: 'function_result', call_id: item.call_id, result: Array.isArray(output) ? listOf(output).map(askedContent) : textIn(output) },
    ]
  }
  if (item.role !== 'user' && item.role !== 'system' && item.role !== 'developer') return stepsOf(item)
  const content = typeof item.content === 'string' ? [{ type: 'text', text: item.content }] : listOf(item.content).map(askedContent)
  return [{ type: 'user_input', content }]
}

function askedContent(part: JsonObject): JsonObject {
  if (part.type === 'input_image') return { type: 'image', ...placeOf(part.image_url, part.file_id) }
  if (part.type === 'input_file') return { type: 'document', ...placeOf(part.file_data ?? part.file_url, part.file_id) }
  if (part.type !== 'input_audio') return { type: 'text', text: textIn(part.text) }
  const { data, format } = isObject(part.input_audio) ? part.input_audio : {}
  return { type: 'audio', data, mime_type: `audio/${format}` }
}

function placeOf(named: unknown, id: unknown): JsonObject {
  const [, mime_type, data] = /^data:([^;,]*);base64,(.*)$/s.exec(textIn(named)) ?? []
  if (data !== undefined) return { mime_type, data }
  return { uri: typeof named === 'string' ? named : `files/${textIn(id).replace(/^file[-_]/, '')}` }
}
