/**
 * Fields that only one dialect knows, and what becomes of them on an upstream of another dialect: most are hints that nobody
 * misses; some change the answer; a few cannot be left out without answering another question. A new dialect adds its row.
 */
import type { Dialect } from '#shared/ids'
import type { ConversationRequest } from './conversation.ts'
import type { LossList } from './loss.ts'
import { cannotCarry } from './refusal.ts'

interface Weights {
  /** Left out, the answer would be to something else: the request is refused. */
  refused?: readonly string[]
  /** Left out, the answer may differ. */
  dropped?: readonly string[]
  /** A hint. What stands in no list is told as `dropped`, for nobody knows what it means. */
  forgotten?: readonly string[]
  /** Kept only for the way back; its meaning has a canonical place, or it has none. */
  silent?: readonly string[]
}

const weights: Readonly<Record<Dialect, Weights>> = {
  chat: {
    dropped: ['moderation', 'audio'],
    forgotten: ['prediction', 'prompt_cache_options', 'prompt_cache_retention', 'service_tier'],
    silent: ['functions', 'user', 'stream_options', 'store'],
  },
  completions: { refused: ['prompt', 'suffix', 'echo', 'best_of', 'max_tokens'] },
  responses: {
    refused: ['background', 'context_management', 'prompt', 'truncation'],
    dropped: ['moderation', 'tool_choice'],
    forgotten: [
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
    dropped: ['container', 'mcp_servers', 'thread'],
    forgotten: [
      'block.cache_control',
      'cache_control',
      'compaction',
      'context_management',
      'diagnostics',
      'document.citations',
      'document.context',
      'fallbacks',
      'inference_geo',
    ],
  },
  gemini: {
    refused: ['cachedContent', 'continuationToken'],
    dropped: [
      'generationConfig.imageConfig',
      'generationConfig.responseFormat',
      'generationConfig.responseMimeType',
      'generationConfig.speechConfig',
      'toolConfig.retrievalConfig',
    ],
    forgotten: ['labels', 'safetySettings', 'store', 'generationConfig.mediaResolution', 'toolConfig.functionCallingConfig'],
    silent: ['generationConfig.responseModalities', 'generationConfig.responseSchema'],
  },
}

/**
 * Records the loss of every extension that `own` cannot say; a writer of that dialect calls it once. Throws GatewayError
 * `unsupported_value` for a field that must not be left out.
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

/** Paths told singly; the rest of a body made of nonsense is one loss. */
const mostPaths = 32
/** A field's path as a reader makes it; what a caller made up is not repeated. */
const plainPath = /^[\w$][\w$.[\]*-]{0,127}$/

function recordUnread(paths: readonly string[], losses: LossList): void {
  for (const path of paths.slice(0, mostPaths)) {
    losses.dropped(plainPath.test(path) ? path : '*', 'Parley does not know this field and cannot convert it.')
  }
  if (paths.length > mostPaths) losses.dropped('*', 'Parley does not know further fields of this request and cannot convert them.')
}

/** When and by whom a tool may be called changes the answer; examples and the like are hints. */
function recordToolExtras({ tools }: ConversationRequest, losses: LossList): void {
  for (const tool of tools) {
    if (tool.kind !== 'function' && tool.kind !== 'custom') continue
    const { defer_loading: deferred, allowed_callers: callers, ...hints } = tool.extra ?? {}
    if (deferred === true) losses.dropped('tools.defer_loading', 'This upstream is given every tool at once.')
    if (Array.isArray(callers) && callers.some((caller) => caller !== 'direct')) {
      losses.dropped('tools.allowed_callers', 'Only the model itself calls tools of this upstream.')
    }
    if (Object.keys(hints).length > 0) losses.forgotten('tools.extra', 'The tools have hints that this upstream does not know.')
  }
}

/** False for a field that stands in no list. */
function record(request: ConversationRequest, dialect: Dialect, field: string, losses: LossList): boolean {
  const { refused, dropped, forgotten, silent } = weights[dialect]
  if (refused?.includes(field)) throw cannotCarry(request, field, `The field \`${field}\` needs an upstream that knows it.`)
  if (dropped?.includes(field)) losses.dropped(field, 'Only the dialect of the request has this field.')
  else if (forgotten?.includes(field)) losses.forgotten(field, 'Only the dialect of the request has this field.')
  else return silent?.includes(field) === true
  return true
}
