/**
 * Fields that only one dialect has, and their treatment on an upstream of another dialect: most are hints and can be dropped; some
 * change the answer; a few cannot be dropped without answering a different question. A new dialect adds its row.
 */

import type { ConversationRequest } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import type { Dialect } from '#shared/ids'

interface Weights {
  /** Without it the answer would be to a different question: the request is rejected. */
  refused?: readonly string[]
  /** Without it the answer may differ. */
  dropped?: readonly string[]
  /** Hints. Fields in no list are reported as `dropped`, since their meaning is unknown. */
  leftOut?: readonly string[]
  /** Only kept to be echoed; its meaning is in a canonical field, or it has none. */
  silent?: readonly string[]
}

const weights: Readonly<Record<Dialect, Weights>> = {
  chat: {
    dropped: ['moderation', 'audio'],
    leftOut: ['prediction', 'prompt_cache_options', 'prompt_cache_retention', 'service_tier'],
    silent: [
      ...['functions', 'function_call', 'user', 'stream_options', 'store'],
      ...['reasoning_effort', 'thinking', 'reasoning', 'enable_thinking', 'thinking_budget'],
    ],
  },
  completions: { refused: ['prompt', 'suffix', 'echo', 'best_of', 'max_tokens'] },
  responses: {
    refused: ['background', 'context_management', 'prompt', 'truncation'],
    dropped: ['moderation', 'tool_choice'],
    leftOut: [
      'access_programs',
      'max_tool_calls',
      'namespaces',
      'prompt_cache_options',
      'prompt_cache_retention',
      'reasoning',
      'service_tier',
    ],
    silent: ['client_metadata', 'conversation', 'include', 'previous_response_id', 'store', 'stream_options', 'user'],
  },
  messages: {
    // The next request of a thread does not contain the earlier turns.
    refused: ['thread'],
    dropped: ['container', 'inference_geo', 'mcp_servers', 'thinking.between_tools'],
    leftOut: [
      'block.cache_control',
      'cache_control',
      'compaction',
      'context_management',
      'diagnostics',
      'document.citations',
      'document.context',
      'fallbacks',
      'service_tier',
      'speed',
      'thinking.updates',
    ],
  },
  gemini: {
    refused: ['cachedContent', 'continuationToken'],
    dropped: [
      'generationConfig.imageConfig',
      'generationConfig.responseFormat',
      'generationConfig.responseMimeType',
      'generationConfig.speechConfig',
      'safetySettings',
      'toolConfig.retrievalConfig',
    ],
    leftOut: ['labels', 'serviceTier', 'store', 'generationConfig.mediaResolution', 'toolConfig.functionCallingConfig'],
    silent: ['generationConfig.responseModalities', 'generationConfig.responseSchema'],
  },
}

/**
 * Records the loss of every extension that `own` lacks; writers of that dialect call it once. Throws GatewayError `unsupported_value`
 * for a field that must not be dropped.
 */
export function recordForeign(request: ConversationRequest, own: Dialect, losses: LossList): void {
  const unknown: string[] = []
  for (const [dialect, fields] of Object.entries(request.extensions) as [Dialect, Record<string, unknown>][]) {
    if (dialect === own) continue
    for (const field of Object.keys(fields)) if (!record(request, dialect, field, losses)) unknown.push(field)
  }
  if (request.dialect !== own) recordToolExtras(request, losses)
  recordUnread([...unknown, ...(request.unread ?? [])], losses)
}

/** Maximum number of paths reported separately; the rest is reported as one loss. */
const mostPaths = 32
/** A normal field path; names made up by a caller are not repeated. */
const plainPath = /^[\w$][\w$.[\]*-]{0,127}$/

/** Records each of these paths as a loss; names that a caller made up are not repeated. */
export function recordUnread(paths: readonly string[], losses: LossList): void {
  for (const path of paths.slice(0, mostPaths)) {
    losses.dropped(plainPath.test(path) ? path : '*', 'Parley does not know this field and cannot convert it.')
  }
  if (paths.length > mostPaths) losses.dropped('*', 'Parley does not know further fields of this request and cannot convert them.')
}

/** When and by whom a tool may be called changes the answer; examples and the like are hints. */
function recordToolExtras({ tools }: ConversationRequest, losses: LossList): void {
  for (const tool of tools) {
    if (tool.kind === 'web-search') recordUnread(tool.unread ?? [], losses)
    if (tool.kind !== 'function' && tool.kind !== 'custom') continue
    const { defer_loading: deferred, allowed_callers: callers, ...hints } = tool.extra ?? {}
    if (deferred === true) losses.dropped('tools.defer_loading', 'This upstream does not load tools on demand.')
    if (Array.isArray(callers) && callers.some((caller) => caller !== 'direct')) {
      losses.dropped('tools.allowed_callers', 'On this upstream only the model itself can call tools.')
    }
    for (const name of Object.keys(hints)) {
      if (hintsOfTools.has(name)) losses.leftOut(`tools.${name}`, 'This upstream does not support this hint of a tool.')
      else recordUnread([`tools.${name}`], losses)
    }
  }
}

/** Hints for a model and its client that do not change the request. Any other field of a tool is unknown. */
const hintsOfTools = new Set([
  ...['input_examples', 'eager_input_streaming', 'output_schema', 'async', 'annotations', 'type'],
  ...['response', 'responseJsonSchema', 'response_json_schema'],
])

/** Records the loss of a field; false when it is in no list. */
function record(request: ConversationRequest, dialect: Dialect, field: string, losses: LossList): boolean {
  const { refused, dropped, leftOut, silent } = weights[dialect]
  // A limit of hosted tools, of which other dialects only get the search.
  if (field === 'max_tool_calls' && request.tools.some((tool) => tool.kind === 'web-search' && tool.maxUses !== undefined)) return true
  if (refused?.includes(field)) throw cannotCarry(request, field, `The field \`${field}\` needs an upstream that knows it.`)
  if (dropped?.includes(field)) losses.dropped(field, 'Only the dialect of the request has this field.')
  else if (leftOut?.includes(field)) losses.leftOut(field, 'Only the dialect of the request has this field.')
  else return silent?.includes(field) === true
  return true
}
