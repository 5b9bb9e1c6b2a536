/**
 * A conversation as it is stored. Messages form a tree: each names its parent, so that editing and regenerating add branches
 * and destroy nothing; `choice` remembers the open branch. Plain data: it goes into IndexedDB and into exports as it is.
 * Times are milliseconds since the epoch.
 */
import type { UsageRow } from '#shared/console/log'
import type { Settings } from './settings.ts'

/** A conversation without its messages. */
export interface Conversation {
  id: string
  title: string
  /** The user chose the title; otherwise it comes from the first message. */
  named: boolean
  pinned: boolean
  createdAt: number
  updatedAt: number
  group: string | null
  model: string | null
  settings: Settings
  draft: string
  /** The open child of each message that has several; the empty string is the key for the first messages. */
  choice: Record<string, string>
  /** Cost of deleted replies in USD; absent for none. */
  deletedCost?: string
}

interface Base {
  id: string
  conversation: string
  parent: string | null
  at: number
}

/** A user message. */
export interface UserMessage extends Base {
  role: 'user'
  text: string
  /** Messages before it are no longer sent, to stay within the context of the model. */
  begins?: boolean
}

/** The result of a tool call, typed by the user: the playground runs no tools. */
export interface ToolResult extends Base {
  role: 'tool'
  callId: string
  text: string
}

/** A tool call of the model. */
export interface ToolCall {
  id: string
  name: string
  /** JSON text as it streamed in. */
  arguments: string
}

/** `stopped` by the user, `interrupted` when the page was closed, `failed` with a `failure`. */
export type ReplyState = 'running' | 'complete' | 'stopped' | 'interrupted' | 'failed'

/** Why a reply failed, with the code of the server's error table. */
export interface Failure {
  status: number
  code: string
  type: string
  message: string
  param?: string | undefined
  /** Seconds from `at`. */
  retryAfter?: number | undefined
  at: number
}

/** One version of the model's answer. */
export interface Reply extends Base {
  role: 'assistant'
  state: ReplyState
  group: string
  model: string
  text: string
  reasoning: string
  /** Milliseconds of reasoning before the first word; null when there was none. */
  reasoningMs: number | null
  refusal: string
  calls: ToolCall[]
  finish: string | null
  /** The model that answered, when the answer named one. */
  answeredBy: string | null
  firstTokenMs: number | null
  totalMs: number | null
  requestId: string | null
  usage: UsageRow | null
  /** USD as the ledger has it; null until it is known. */
  cost: string | null
  losses: string | null
  failure: Failure | null
  /** The user edited the request as JSON, so that it may differ from the messages above. */
  byHand?: boolean
}

/** A message of any kind. */
export type Message = UserMessage | ToolResult | Reply

/** A new id of 80 random bits: 16 letters and digits. Works over plain HTTP, where `crypto.randomUUID` does not exist. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => 'abcdefghijkmnpqrstuvwxyz23456789'[byte & 31]).join('')
}

/** A reply that has just begun: running, with no content. */
export function emptyReply(conversation: string, parent: string | null, asked: { group: string; model: string }, at: number): Reply {
  return {
    id: newId(),
    conversation,
    parent,
    at,
    role: 'assistant',
    state: 'running',
    ...asked,
    text: '',
    reasoning: '',
    reasoningMs: null,
    refusal: '',
    calls: [],
    finish: null,
    answeredBy: null,
    firstTokenMs: null,
    totalMs: null,
    requestId: null,
    usage: null,
    cost: null,
    losses: null,
    failure: null,
  }
}

/** Whether a reply has text, tool calls or a refusal. */
export const hasContent = (reply: Reply): boolean => reply.text !== '' || reply.calls.length > 0 || reply.refusal !== ''

/** The first line of `text`, shortened to at most 60 characters. */
export function titleFrom(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
  const letters = [...line]
  return letters.length > 60 ? `${letters.slice(0, 57).join('').trimEnd()}…` : line
}
