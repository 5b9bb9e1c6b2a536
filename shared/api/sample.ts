/** What a sample is, and how calls are written in one. */
export interface Sample {
  /** `METHOD path` as the API document has it. */
  door: string
  /** A shell command, or a JavaScript module. */
  language: 'sh' | 'js'
  text: string
  /** What it prints: JSON of the door's answer, events, a file that it makes, or plain text. */
  prints: 'json' | 'events' | 'file' | 'text'
  /** What stands in the output or is the name of the file. */
  shows: string
  /** The demo cannot do this: the answer is this refusal. */
  refusal?: string
  note?: string
}

export const bearer = '-H "Authorization: Bearer $PARLEY_KEY"'
export const json = "-H 'Content-Type: application/json'"

/** A POST with a JSON body, as people write it. */
export const post = (path: string, body: string, { key = bearer, after = '' } = {}) =>
  `curl -s "$PARLEY_URL${path}" \\\n  ${key} ${json} \\\n  -d '${body}'${after}`
export const get = (path: string, key = bearer) => `curl -s "$PARLEY_URL${path}" ${key}`
export const form = (path: string, fields: readonly string[]) =>
  [`curl -s "$PARLEY_URL${path}" ${bearer}`, ...fields.map((field) => `  -F ${field}`)].join(' \\\n')

export const google = '-H "x-goog-api-key: $PARLEY_KEY"'
export const anthropic = '-H "x-api-key: $PARLEY_KEY" -H \'anthropic-version: 2023-06-01\''
