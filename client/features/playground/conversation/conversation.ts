/**
 * What is kept of a conversation. Messages form a tree: every message names its parent, so that editing and regenerating
 * add a branch and never destroy one. `choice` remembers which branch is open. All of it is plain data: it goes into
 * IndexedDB and into an export as it is. Times are milliseconds since the epoch.
 */
import type { UsageRow } from '#shared/console/log'
import type { Settings } from './settings.ts'

export interface Conversation {
  id: string
  title: string
  /** The person gave the title; otherwise it follows the first message. */
  named: boolean
  pinned: boolean
  createdAt: number
  updatedAt: number
  group: string | null
  model: string | null
  settings: Settings
  draft: string
  /** Open child of a message that has several; the key of the root is the empty string. */
  choice: Record<string, string>
}

interface Base {
  id: string
  conversation: string
  parent: string | null
  at: number
}

/** What the person wrote. */
export interface UserMessage extends Base {
  role: 'user'
  text: string
}

/** What a tool answered; typed by the person, because the playground executes nothing. */
export interface ToolResult extends Base {
  role: 'tool'
  callId: string
  text: string
}

export interface ToolCall {
  id: string
  name: string
  /** JSON text as it streamed in. */
  arguments: string
}

export type ReplyState = 'running' | 'complete' | 'stopped' | 'interrupted' | 'failed'

/** Why a reply failed, in the words of the server's error table. */
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
  /** How long the model reasoned before its first word; null when it did not. */
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
}

export type Message = UserMessage | ToolResult | Reply

/** A new id: 96 random bits, letters and digits. Works on plain http, where randomUUID does not exist. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => 'abcdefghijkmnpqrstuvwxyz23456789'[byte & 31]).join('')
}

/** A reply that has not begun. */
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

/** True when a reply has anything a person could read or a model could be told. */
export const hasContent = (reply: Reply): boolean => reply.text !== '' || reply.calls.length > 0 || reply.refusal !== ''

/** First line of the first message, short enough for a list. */
export function titleFrom(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
  const letters = [...line]
  return letters.length > 60 ? `${letters.slice(0, 57).join('').trimEnd()}…` : line
}
