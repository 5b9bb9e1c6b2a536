/** One conversation in no dialect's words: what the clients of `clients.ts` are asked, and what they answer. */

export interface Attachment {
  mime: string
  /** Base64. */
  data: string
}

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
  image?: Attachment
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

export interface Answer {
  text: string
  thought: string
  calls: Call[]
  /** `none`: the answer did not say how it ended. */
  ending: 'stop' | 'calls' | 'length' | 'refusal' | 'filter' | 'none'
  /** Tokens: all of the input, those of it from the cache, all of the output. */
  usage: { in: number; cached: number; out: number }
  /** The model's turn in the dialect's own form. */
  own: unknown
}

/** Throws what the SDK throws. */
export type Ask = (question: Question) => Promise<Answer>

/** The parameters of a tool by its name. */
export const parametersOf = (name: string) => ({
  type: 'object' as const,
  properties: name.startsWith('empty') ? {} : { city: { type: 'string' } },
  additionalProperties: false,
})

export const dataUrl = ({ mime, data }: Attachment) => `data:${mime};base64,${data}`
