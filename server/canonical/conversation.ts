/**
 * The one representation of a conversation. It is built from ordered parts, not from any vendor's request: what two dialects
 * share has one place here, what only one of them knows rides in `native` parts and `extensions`. Field by field rules and
 * verdicts: docs/mapping.md; losses are recorded, never silent.
 * Knows no wire field name and no vendor address. Start reading at ConversationRequest.
 */
import type { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import type { CacheMark, Citation, Opaque, Phase, TokenLogprob } from './marks.ts'
import type { Usage } from './usage.ts'

export type { CacheMark, Citation, Opaque, Phase, TokenLogprob }

export interface TextPart {
  kind: 'text'
  text: string
  /** A remark on the way or the answer itself, where a dialect tells them apart. */
  phase?: Phase
  citations?: Citation[]
  cache?: CacheMark
  opaque?: Opaque[]
}

export type MediaSource = { data: string } | { url: string } | { fileId: string; dialect: Dialect } | { text: string }

export interface MediaPart {
  kind: 'media'
  media: 'image' | 'audio' | 'video' | 'document'
  /** `data` is base64 without a prefix; `text` is a plain-text document. */
  source: MediaSource
  mimeType?: string
  name?: string
  title?: string
  detail?: 'auto' | 'low' | 'high' | 'original'
  /** What was said, for audio that a model made. */
  transcript?: string
  cache?: CacheMark
  opaque?: Opaque[]
  /** What only the caller's dialect can say of it (which part of a video), by wire name; written back by that dialect. */
  extra?: Record<string, unknown>
  /** Where it stands in the caller's body, for a refusal that names it. */
  path?: string
}

export interface ReasoningPart {
  kind: 'reasoning'
  /** Segments in order; empty when nothing may be shown. */
  text: string[]
  form: 'summary' | 'full' | 'hidden'
  opaque: Opaque[]
}

export interface CallPart {
  kind: 'call'
  callId: string
  name: string
  /** Function arguments are JSON text, custom tools take free text. Kept as written: parse late, never repair. */
  form: 'json' | 'text'
  argsText: string
  /** Of a tool inside a namespace. */
  namespace?: string
  opaque?: Opaque[]
  /** Where the arguments stand in the caller's body (`messages[3].tool_calls[0].function.arguments`), for a refusal that names them. */
  path?: string
}

export interface ResultPart {
  kind: 'result'
  callId: string
  /** The tool's name, where the dialect says it or it was looked up by call id. */
  name?: string
  form: 'json' | 'text'
  isError: boolean
  parts: (TextPart | MediaPart)[]
  cache?: CacheMark
}

export interface RefusalPart {
  kind: 'refusal'
  text: string
}

/** A block that has no canonical place (server tools, compaction, mcp ...). Written back only by its own dialect. */
export interface NativePart {
  kind: 'native'
  dialect: Dialect
  raw: unknown
  /** What it amounts to for a dialect that cannot say it; absent = it is dropped there, with a loss. */
  summary?: string
  /** State that it holds (a compacted conversation): where it may go is its maker's word. */
  opaque?: Opaque[]
}

export type Part = TextPart | MediaPart | ReasoningPart | CallPart | ResultPart | RefusalPart | NativePart

export interface Turn {
  role: 'user' | 'assistant' | 'tool' | 'system'
  parts: Part[]
  name?: string
  /** A system turn that came as `developer`, which some dialects tell apart. */
  developer?: true
  /** Where it stands in the caller's body (`messages[3]`), for a refusal that names it. */
  path?: string
}

export interface Instruction {
  role: 'system' | 'developer'
  text: string
  cache?: CacheMark
  /** It stood at the head of the conversation, in a dialect that also has a field for instructions. */
  item?: true
}

export type JsonSchema = Record<string, unknown>

/** Fields of a tool that only the caller's dialect knows (deferred loading, examples ...), by wire name; written back by that dialect. */
export type ToolExtra = Record<string, unknown>

export type Tool =
  | {
      kind: 'function'
      name: string
      description?: string
      parameters: JsonSchema
      strict?: boolean
      namespace?: string
      cache?: CacheMark
      extra?: ToolExtra
    }
  | {
      kind: 'custom'
      name: string
      description?: string
      grammar?: { syntax: string; definition: string }
      namespace?: string
      extra?: ToolExtra
    }
  | {
      kind: 'web-search'
      allowedDomains?: string[]
      blockedDomains?: string[]
      contextSize?: 'low' | 'medium' | 'high'
      location?: Record<string, unknown>
      raw: unknown
      dialect: Dialect
    }
  /** A hosted tool of one vendor: dropped with a loss elsewhere, never a failure by being merely listed. */
  | { kind: 'native'; dialect: Dialect; name: string; raw: unknown }

export interface ToolPolicy {
  mode: 'auto' | 'none' | 'required'
  /** Only these tools may be called; with `required` and one name, that tool is forced. */
  only?: string[]
  /** False: one call at a time. */
  parallel?: boolean
}

export type OutputFormat =
  | { kind: 'text' }
  | { kind: 'json' }
  | { kind: 'schema'; schema: JsonSchema; name?: string; description?: string; strict?: boolean }

export interface Output {
  maxTokens?: number
  format: OutputFormat
  /** What the answer may contain besides text. */
  modalities: ('audio' | 'image')[]
  verbosity?: 'low' | 'medium' | 'high'
  stop: string[]
  /** Answers asked for. */
  n: number
  /** Alternatives per token; 0 = only the chosen one. */
  logprobs?: number
}

export interface Sampling {
  temperature?: number
  topP?: number
  topK?: number
  frequencyPenalty?: number
  presencePenalty?: number
  seed?: number
  /** By token id: means nothing to another model. */
  logitBias?: Record<string, number>
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export interface ReasoningWish {
  effort?: Effort
  /** Tokens; 0 = off, -1 = as the model likes. */
  budget?: number
  /** The model decides by itself how much to think. */
  adaptive?: boolean
  visible?: 'none' | 'summary' | 'full'
}

export interface ConversationRequest {
  dialect: Dialect
  model: string
  instructions: Instruction[]
  turns: Turn[]
  tools: Tool[]
  toolPolicy: ToolPolicy
  output: Output
  sampling: Sampling
  reasoning: ReasoningWish
  cache: { key?: string }
  tier?: 'auto' | 'default' | 'flex' | 'priority' | 'fast'
  identity: { endUser?: string; metadata?: Record<string, string> }
  stream: boolean
  /** The client wants to see usage in its stream, where its dialect lets it choose. */
  usageAsked: boolean
  /** Fields known to one dialect only, by dialect and wire name. Written back by that dialect; a loss of meaning elsewhere when `meaning` says so. */
  extensions: Partial<Record<Dialect, Record<string, unknown>>>
  /** Paths in the caller's body of fields that its reader does not know, nested ones (`fields.ts`): a loss on every converted way. */
  unread?: readonly string[]
  /** How the caller spells a canonical field (`output.stop`: `stop_sequences`), for refusals that name it; see refusal.ts. */
  paths?: Readonly<Record<string, string>>
}

export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'tool-calls'
  | 'length'
  | 'context-full'
  | 'content-filter'
  | 'refusal'
  | 'paused'
  | 'bad-tool-call'

export interface Finish {
  reason: FinishReason
  /** The upstream's own word. */
  raw: string
  stopSequence?: string
}

export interface Choice {
  index: number
  parts: Part[]
  finish: Finish
  /** As OpenAI shapes them: one entry per token. */
  logprobs?: TokenLogprob[]
}

export interface ConversationResponse {
  /** As the upstream named it; the client's dialect makes its own where the form differs. */
  id: string
  model: string
  /** Seconds since the epoch. */
  created: number
  choices: Choice[]
  usage: Usage
  tier?: string
}

/** The head of a part when a stream opens it: everything that is known before its content. */
export type PartHead =
  | { kind: 'text'; phase?: Phase }
  | { kind: 'refusal' }
  | { kind: 'reasoning'; form: ReasoningPart['form'] }
  | { kind: 'call'; callId: string; name: string; form: CallPart['form']; namespace?: string; opaque?: Opaque[] }
  | { kind: 'media'; media: MediaPart['media']; mimeType?: string }
  | { kind: 'native'; dialect: Dialect; raw: unknown; summary?: string; opaque?: Opaque[] }

/**
 * What a stream says. Order: `start` first; a part is opened, grows by deltas, is closed; its place `at` is never used again
 * within its choice; `usage` is cumulative; `finish` at most once a choice, after its parts are closed; then exactly one of
 * `end` or `error`, always last. A reader guarantees this order whatever the upstream does.
 */
export type ConversationEvent =
  | { kind: 'start'; id: string; model: string; created: number; usage?: Usage }
  | { kind: 'open'; choice: number; at: number; part: PartHead }
  | { kind: 'delta'; choice: number; at: number; delta: Delta }
  | { kind: 'close'; choice: number; at: number }
  | { kind: 'usage'; usage: Usage }
  | { kind: 'finish'; choice: number; finish: Finish }
  | { kind: 'end'; tier?: string }
  | { kind: 'error'; error: GatewayError }

/**
 * Text of a text, refusal or reasoning part, the arguments of a call, or the transcript of media; base64 of media, each piece
 * decodable by itself; or what belongs to the part as a whole.
 */
export type Delta =
  | { text: string }
  /** Ends the current segment of reasoning and begins the next. */
  | { segment: true }
  | { data: string }
  | { citation: Citation }
  | { opaque: Opaque }
  /** Of the text that comes next, or of the last of it. */
  | { logprobs: TokenLogprob[] }
