/** Ways for a caller to send its key. Every endpoint accepts all of them; a test tries each. */
export interface Carrier {
  /** Its name in the API document. */
  id: string
  /** How it is written in a request. */
  written: string
  place: 'header' | 'query' | 'subprotocol'
  /** Name of the header or parameter. */
  name: string
  usedBy: string
}

/** All ways to send a key, the usual one first. */
export const carriers: readonly Carrier[] = [
  {
    id: 'bearer',
    written: 'Authorization: Bearer sk-...',
    place: 'header',
    name: 'Authorization',
    usedBy: 'OpenAI clients, and most others',
  },
  { id: 'apiKeyHeader', written: 'x-api-key: sk-...', place: 'header', name: 'x-api-key', usedBy: 'Anthropic clients' },
  {
    id: 'thirdKeyHeader',
    written: 'x-third-api-key: sk-...',
    place: 'header',
    name: 'x-third-api-key',
    usedBy: 'Neutral name of the next header',
  },
  { id: 'googleKeyHeader', written: 'x-goog-api-key: sk-...', place: 'header', name: 'x-goog-api-key', usedBy: 'Google clients' },
  { id: 'keyParameter', written: '?key=sk-...', place: 'query', name: 'key', usedBy: 'Google clients, in the URL' },
  {
    id: 'subprotocol',
    written: 'Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.sk-...',
    place: 'subprotocol',
    name: 'openai-insecure-api-key.',
    usedBy: 'Browsers, which cannot set headers on a WebSocket; realtime only',
  },
]
