/** A sample call of the API reference. */
export interface Sample {
  /** `METHOD path` as the API document has it. */
  route: string
  /** A shell command, or a JavaScript module. */
  language: 'sh' | 'js'
  text: string
  /** What it produces: the response as JSON, events, a file, or plain text. */
  prints: 'json' | 'events' | 'file' | 'text'
  /** Text that is in the output, or the name of the file. */
  shows: string
  /** The error code of the demo, where it does not support this. */
  refusal?: string
  note?: string
}

/** The key as a bearer token, for curl. */
export const bearer = '-H "Authorization: Bearer $PARLEY_KEY"'
/** The content type JSON, for curl. */
export const json = "-H 'Content-Type: application/json'"

/** A POST with a JSON body, formatted as people write it. */
export const post = (path: string, body: string, { key = bearer, after = '' } = {}) =>
  `curl -s "$PARLEY_URL${path}" \\\n  ${key} ${json} \\\n  -d '${body}'${after}`
/** A GET request. */
export const get = (path: string, key = bearer) => `curl -s "$PARLEY_URL${path}" ${key}`
/** A POST of a form; each field is `name=value`. */
export const form = (path: string, fields: readonly string[]) =>
  [`curl -s "$PARLEY_URL${path}" ${bearer}`, ...fields.map((field) => `  -F ${field}`)].join(' \\\n')

/** The key as Google clients send it. */
export const google = '-H "x-goog-api-key: $PARLEY_KEY"'
/** The key and version as Anthropic clients send them. */
export const anthropic = '-H "x-api-key: $PARLEY_KEY" -H \'anthropic-version: 2023-06-01\''
