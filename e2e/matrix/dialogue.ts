/** One conversation in no dialect's words: what the clients of `clients.ts` are asked, and what they answer. */

/** Base64, or where the bytes are. */
export type Attachment = { mime: string } & ({ data: string } | { url: string })

export interface Call {
  /** Gemini may give none. */
  id: string | undefined
  name: string
  args: unknown
}

export interface Result {
  call: Call
  text: string
  failed?: boolean
  image?: { mime: string; data: string }
}

export type Turn = { user: string; attached?: Attachment } | { assistant: string } | { answer: Answer } | { results: Result[] }

export interface Question {
  model: string
  turns: Turn[]
  stream: boolean
  system?: string
  /** Functions; those named `empty...` take nothing, the others a city. */
  tools?: string[]
  force?: string
  schema?: Record<string, unknown>
  stop?: string
  limit?: number
  thinks?: boolean
  signal?: AbortSignal
  /** Told of each piece of text of a stream. */
  heard?: (piece: string) => void
}

/** `other`: for a reason that the SDK has no word for; `none`: the answer did not say how it ended. */
export type Ending = 'stop' | 'calls' | 'length' | 'refusal' | 'filter' | 'other' | 'none'

export interface Answer {
  text: string
  thought: string
  calls: Call[]
  ending: Ending
  /** Tokens: all of the input, those of it from the cache, all of the output. */
  usage: { in: number; cached: number; out: number }
  /** The model's turn in the dialect's own form. */
  own: unknown
}

/** Throws what the SDK throws. */
export type Ask = (question: Question) => Promise<Answer>

/** What a user of the SDK can tell from what it threw. */
export type Fault =
  /** An answer with this status, as the SDK's own error. */
  | { kind: 'status'; status: number }
  /** The upstream's or the gateway's error inside a stream, as the SDK tells it. */
  | { kind: 'stream' }
  /** The caller left. */
  | { kind: 'left' }
  /** Anything else: broken bytes, a broken connection, a bug. */
  | { kind: 'unknown'; thrown: unknown }

export const dialects = ['chat', 'completions', 'responses', 'messages', 'gemini'] as const
export type Dialect = (typeof dialects)[number]

/** One SDK, or one way of it, as its users know it. */
export interface Client {
  dialect: Dialect
  connect: (url: string, key: string) => Ask
  faultOf: (thrown: unknown) => Fault
  /** Words that this SDK has for an ending instead of its own. */
  words?: Partial<Record<Ending, Ending>>
  /** Begins every model's name, for an SDK that goes by names. */
  prefix?: string
  /** A tool's result as the model gets it, where the SDK wraps it. */
  wraps?: (tool: string, text: string, failed: boolean) => string
  /** Why the SDK does not show what the model thought. */
  hidesThoughts?: string
  /** Conversations that the SDK, not its dialect, has no words for, and why. */
  cannot?: Readonly<Record<string, string>>
}

/** The parameters of a tool by its name. */
export const parametersOf = (name: string) => ({
  type: 'object' as const,
  properties: name.startsWith('empty') ? {} : { city: { type: 'string' as const } },
  additionalProperties: false,
})

/** As a URL: where the bytes are, or the bytes. */
export const urlOf = (attached: Attachment): string => ('url' in attached ? attached.url : `data:${attached.mime};base64,${attached.data}`)
