/**
 * The canonical conversation. It consists of ordered parts and follows no vendor's format: concepts shared by two dialects have one field
 * here, those of only one dialect are in `native` parts and `extensions`. Rules and verdicts per field: docs/mapping.md; losses are
 * recorded, never silent. Knows no wire field names and no vendor addresses. Start with ConversationRequest.
 */
import type { Dialect } from '#shared/ids'
import type { CacheMark, Citation, Opaque, Phase, TokenLogprob } from './marks.ts'
import type { Usage } from './usage.ts'

export type { CacheMark, Citation, Opaque, Phase, TokenLogprob }

/** Text. */
export interface TextPart {
  kind: 'text'
  text: string
  /** Commentary or the final answer, in dialects that distinguish them. */
  phase?: Phase
  citations?: Citation[]
  cache?: CacheMark
  opaque?: Opaque[]
}

/** Where the content of a media part is. */
export type MediaSource = { data: string } | { url: string } | { fileId: string; dialect: Dialect } | { text: string }

/** An image, audio, video or document. */
export interface MediaPart {
  kind: 'media'
  media: 'image' | 'audio' | 'video' | 'document'
  /** `data` is base64 without a prefix; `text` is a plain-text document. */
  source: MediaSource
  mimeType?: string
  name?: string
  title?: string
  detail?: 'auto' | 'low' | 'high' | 'original'
  /** Transcript of audio produced by a model. */
  transcript?: string
  cache?: CacheMark
  opaque?: Opaque[]
  /** Fields that only the caller's dialect has (such as a section of a video), by wire name; written back by that dialect. */
  extra?: Record<string, unknown>
  /** Its path in the caller's body, for error messages. */
  path?: string
}

/** Reasoning of a model. */
export interface ReasoningPart {
  kind: 'reasoning'
  /** Segments in order; empty when nothing may be shown. */
  text: string[]
  form: 'summary' | 'full' | 'hidden'
  opaque: Opaque[]
}

/** A tool call. */
export interface CallPart {
  kind: 'call'
  callId: string
  name: string
  /** Function arguments are JSON text, custom tools take free text. Kept as written: parse late, never repair. */
  form: 'json' | 'text'
  argsText: string
  /** The tool's namespace, if any. */
  namespace?: string
  opaque?: Opaque[]
  /** The path of the arguments in the caller's body (`messages[3].tool_calls[0].function.arguments`), for error messages. */
  path?: string
}

/** The result of a tool call. */
export interface ResultPart {
  kind: 'result'
  callId: string
  /** The tool's name, from the dialect or looked up by call id. */
  name?: string
  form: 'json' | 'text'
  isError: boolean
  parts: (TextPart | MediaPart)[]
  cache?: CacheMark
}

/** A refusal by the model. */
export interface RefusalPart {
  kind: 'refusal'
  text: string
}

/** A block without a canonical form (server tools, compaction, MCP ...). Written back only by its own dialect. */
export interface NativePart {
  kind: 'native'
  dialect: Dialect
  raw: unknown
  /** Text for dialects that cannot express it; absent = dropped there, with a loss. */
  summary?: string
  /** State it contains (a compacted conversation), which may be bound to its maker. */
  opaque?: Opaque[]
}

/** One part of a turn. */
export type Part = TextPart | MediaPart | ReasoningPart | CallPart | ResultPart | RefusalPart | NativePart

/** One message of the conversation. */
export interface Turn {
  role: 'user' | 'assistant' | 'tool' | 'system'
  parts: Part[]
  name?: string
  /** A system turn sent as `developer`, which some dialects distinguish. */
  developer?: true
  /** Its path in the caller's body (`messages[3]`), for error messages. */
  path?: string
}

/** A system or developer instruction for the whole conversation. */
export interface Instruction {
  role: 'system' | 'developer'
  text: string
  cache?: CacheMark
  /** It was the first message, in a dialect that also has a field for instructions. */
  item?: true
}

/** A JSON Schema, unvalidated. */
export type JsonSchema = Record<string, unknown>

/** Fields of a tool that only the caller's dialect has (deferred loading, examples ...), by wire name; written back by that dialect. */
export type ToolExtra = Record<string, unknown>

/** A tool the model may call. */
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
      /** Maximum searches of one answer, which limits its cost. */
      maxUses?: number
      /** False = it must not fetch anything live: a search that would do so is left out. */
      live?: boolean
      raw: unknown
      dialect: Dialect
      /** Paths of fields in `raw` without a canonical equivalent: lost if `raw` is not sent on. */
      unread?: string[]
    }
  /** A hosted tool of one vendor: dropped with a loss elsewhere; listing it never fails a request. */
  | { kind: 'native'; dialect: Dialect; name: string; raw: unknown }

/** Which tools may or must be called. */
export interface ToolPolicy {
  mode: 'auto' | 'none' | 'required'
  /** Only these tools may be called; with `required` and one name, that tool is forced. */
  only?: string[]
  /** False = one call at a time. */
  parallel?: boolean
}

/** The format of the answer's text. */
export type OutputFormat =
  | { kind: 'text' }
  | { kind: 'json' }
  | { kind: 'schema'; schema: JsonSchema; name?: string; description?: string; strict?: boolean }

/** What the answer must look like. */
export interface Output {
  maxTokens?: number
  format: OutputFormat
  /** What the answer may contain besides text. */
  modalities: ('audio' | 'image')[]
  verbosity?: 'low' | 'medium' | 'high'
  stop: string[]
  /** Requested number of answers. */
  n: number
  /** Alternatives per token; 0 = only the chosen one. */
  logprobs?: number
}

/** Sampling parameters. */
export interface Sampling {
  temperature?: number
  topP?: number
  topK?: number
  frequencyPenalty?: number
  presencePenalty?: number
  seed?: number
  /** By token id: meaningless for another model. */
  logitBias?: Record<string, number>
}

/** Reasoning effort. */
export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** Requested reasoning. */
export interface ReasoningSettings {
  effort?: Effort
  /** Tokens; 0 = off, -1 = the model decides. */
  budget?: number
  /** The model decides how much to reason. */
  adaptive?: boolean
  visible?: 'none' | 'summary' | 'full'
}

/** A request for generation. */
export interface ConversationRequest {
  dialect: Dialect
  model: string
  instructions: Instruction[]
  turns: Turn[]
  tools: Tool[]
  toolPolicy: ToolPolicy
  output: Output
  sampling: Sampling
  reasoning: ReasoningSettings
  cache: { key?: string }
  tier?: 'auto' | 'default' | 'flex' | 'priority' | 'fast'
  identity: { endUser?: string; metadata?: Record<string, string> }
  stream: boolean
  /** True when the client requested usage in its stream, in dialects with that choice. */
  usageAsked: boolean
  /**
   * Fields that only one dialect has, by dialect and wire name. Written back by that dialect; elsewhere a loss as `extensions.ts`
   * defines.
   */
  extensions: Partial<Record<Dialect, Record<string, unknown>>>
  /**
   * Paths of fields in the caller's body, nested ones included, that its reader does not know (`fields.ts`): a loss in every
   * conversion.
   */
  unread?: readonly string[]
  /** The caller's spelling of a canonical field (`output.stop`: `stop_sequences`), for errors that name it; see refusal.ts. */
  paths?: Readonly<Record<string, string>>
}

/** Why generation ended. */
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

/** How a choice ended. */
export interface Finish {
  reason: FinishReason
  /** The upstream's own value. */
  raw: string
  stopSequence?: string
}

/** One of the answers. */
export interface Choice {
  index: number
  parts: Part[]
  finish: Finish
  /** In OpenAI's shape: one entry per token. */
  logprobs?: TokenLogprob[]
}

/** A whole answer. */
export interface ConversationResponse {
  /** The upstream's id; the client's dialect creates its own where the format differs. */
  id: string
  model: string
  /** Seconds since the epoch. */
  created: number
  choices: Choice[]
  usage: Usage
  tier?: string
}
