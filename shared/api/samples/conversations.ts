/** Samples of the endpoints for conversations and for lists of models. */
import { anthropic, bearer, get, google, json, post, type Sample } from '../sample.ts'

const contents = '{"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}'
const firstResponse = `id=$(curl -s "$PARLEY_URL/v1/responses" ${bearer} ${json} \\
  -d '{"model": "parley-demo", "input": "Hello"}' | sed 's/.*"id":"\\(resp_[^"]*\\)".*/\\1/')\n`

const firstConversation = `id=$(curl -s "$PARLEY_URL/v1/conversations" ${bearer} ${json} \\
  -d '{"items": [{"role": "user", "content": "My name is Ann."}]}' | sed 's/.*"id":"\\(conv_[^"]*\\)".*/\\1/')\n`
const firstItem = `${firstConversation}item=$(curl -s "$PARLEY_URL/v1/conversations/$id/items" ${bearer} | sed 's/.*"first_id":"\\([^"]*\\)".*/\\1/')\n`

/** Samples of conversations that clients make by themselves. */
export const itemSamples: readonly Sample[] = [
  {
    route: 'POST /v1/conversations',
    language: 'sh',
    text: post('/v1/conversations', '{"metadata": {"topic": "names"}, "items": [{"role": "user", "content": "My name is Ann."}]}'),
    prints: 'json',
    shows: '"conversation"',
  },
  {
    route: 'POST /v1/conversations',
    language: 'sh',
    text: `${firstConversation}printf '{"model": "parley-demo", "conversation": "%s", "input": "Hello"}' "$id" |
  curl -s "$PARLEY_URL/v1/responses" ${bearer} ${json} -d @-`,
    prints: 'text',
    shows: '"completed"',
    note: 'A request that continues it.',
  },
  {
    route: 'GET /v1/conversations/{id}',
    language: 'sh',
    text: `${firstConversation}${get('/v1/conversations/$id')}`,
    prints: 'json',
    shows: '"conversation"',
  },
  {
    route: 'POST /v1/conversations/{id}',
    language: 'sh',
    text: `${firstConversation}curl -s "$PARLEY_URL/v1/conversations/$id" ${bearer} ${json} -d '{"metadata": {"topic": "places"}}'`,
    prints: 'json',
    shows: '"places"',
  },
  {
    route: 'POST /v1/conversations/{id}/items',
    language: 'sh',
    text: `${firstConversation}curl -s "$PARLEY_URL/v1/conversations/$id/items" ${bearer} ${json} \\
  -d '{"items": [{"role": "user", "content": "I live in Rome."}]}'`,
    prints: 'json',
    shows: 'Rome',
  },
  {
    route: 'GET /v1/conversations/{id}/items',
    language: 'sh',
    text: `${firstConversation}${get('/v1/conversations/$id/items')}`,
    prints: 'json',
    shows: 'Ann',
  },
  {
    route: 'GET /v1/conversations/{id}/items/{item}',
    language: 'sh',
    text: `${firstItem}${get('/v1/conversations/$id/items/$item')}`,
    prints: 'json',
    shows: 'Ann',
  },
  {
    route: 'DELETE /v1/conversations/{id}/items/{item}',
    language: 'sh',
    text: `${firstItem}curl -s -X DELETE "$PARLEY_URL/v1/conversations/$id/items/$item" ${bearer}`,
    prints: 'json',
    shows: '"conversation"',
  },
  {
    route: 'DELETE /v1/conversations/{id}',
    language: 'sh',
    text: `${firstConversation}curl -s -X DELETE "$PARLEY_URL/v1/conversations/$id" ${bearer}`,
    prints: 'json',
    shows: '"conversation.deleted"',
  },
]

/** Samples of the endpoints for conversations. */
export const conversationSamples: readonly Sample[] = [
  {
    route: 'POST /v1/chat/completions',
    language: 'sh',
    text: post('/v1/chat/completions', '{"model": "parley-demo", "messages": [{"role": "user", "content": "Hello"}]}'),
    prints: 'json',
    shows: '"chat.completion"',
  },
  {
    route: 'POST /v1/chat/completions',
    language: 'sh',
    text: post('/v1/chat/completions', '{"model": "parley-demo", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}', {
      key: `-N ${bearer}`,
    }),
    prints: 'events',
    shows: 'data: [DONE]',
    note: 'The same as a stream.',
  },
  {
    route: 'POST /pg/chat/completions',
    language: 'sh',
    text: `curl -s -o signed-in.json -c cookies.txt "$PARLEY_URL/api/session" ${json} \\
  -d "{\\"name\\": \\"$PARLEY_USER\\", \\"password\\": \\"$PARLEY_PASSWORD\\"}"
curl -s -b cookies.txt "$PARLEY_URL/pg/chat/completions" ${json} \\
  -d '{"group": "default", "model": "parley-demo", "messages": [{"role": "user", "content": "Hello"}]}'`,
    prints: 'json',
    shows: '"chat.completion"',
    note: 'The playground signs in with a user name and a password.',
  },
  {
    route: 'POST /v1/completions',
    language: 'sh',
    text: post('/v1/completions', '{"model": "parley-demo", "prompt": "Once upon a time"}'),
    prints: 'json',
    shows: '"text_completion"',
  },
  {
    route: 'POST /v1/responses',
    language: 'sh',
    text: post('/v1/responses', '{"model": "parley-demo", "input": "Hello"}'),
    prints: 'json',
    shows: '"completed"',
  },
  {
    route: 'GET /v1/responses/{id}',
    language: 'sh',
    text: `${firstResponse}${get('/v1/responses/$id')}`,
    prints: 'json',
    shows: '"response"',
    note: 'Responses with `store: true` (the default) are stored for 30 days.',
  },
  {
    route: 'GET /v1/responses/{id}/input_items',
    language: 'sh',
    text: `${firstResponse}${get('/v1/responses/$id/input_items')}`,
    prints: 'json',
    shows: 'Hello',
  },
  {
    route: 'POST /v1/responses/{id}/cancel',
    language: 'sh',
    text: `${firstResponse.replace('"Hello"}', '"Hello", "background": true}')}curl -s -X POST "$PARLEY_URL/v1/responses/$id/cancel" ${bearer}`,
    prints: 'json',
    shows: '"background":true',
    note: 'A response that was asked for with `background: true`. One that is complete by then stays as it is.',
  },
  {
    route: 'DELETE /v1/responses/{id}',
    language: 'sh',
    text: `${firstResponse}curl -s -X DELETE "$PARLEY_URL/v1/responses/$id" ${bearer}`,
    prints: 'json',
    shows: '"deleted":true',
  },
  {
    route: 'POST /v1/responses/input_tokens',
    language: 'sh',
    text: post('/v1/responses/input_tokens', '{"model": "parley-demo", "input": "Hello"}'),
    prints: 'json',
    shows: '"input_tokens"',
  },
  {
    route: 'POST /v1/responses/compact',
    language: 'sh',
    text: post(
      '/v1/responses/compact',
      '{"model": "parley-demo", "input": "We agreed on blue tiles for the kitchen and oak for the floor."}',
    ),
    prints: 'json',
    shows: '"output"',
  },
  {
    route: 'POST /v1/messages',
    language: 'sh',
    text: post('/v1/messages', '{"model": "parley-demo", "max_tokens": 200, "messages": [{"role": "user", "content": "Hello"}]}', {
      key: anthropic,
    }),
    prints: 'json',
    shows: '"message"',
  },
  {
    route: 'POST /v1/messages/count_tokens',
    language: 'sh',
    text: post('/v1/messages/count_tokens', '{"model": "parley-demo", "messages": [{"role": "user", "content": "Hello"}]}', {
      key: anthropic,
    }),
    prints: 'json',
    shows: '"input_tokens"',
  },
  ...['/v1beta', '/v1'].flatMap((prefix): Sample[] => [
    {
      route: `POST ${prefix}/models/{model}:generateContent`,
      language: 'sh',
      text: post(`${prefix}/models/parley-demo:generateContent`, contents, { key: google }),
      prints: 'json',
      shows: '"candidates"',
    },
    {
      route: `POST ${prefix}/models/{model}:streamGenerateContent`,
      language: 'sh',
      text: post(`${prefix}/models/parley-demo:streamGenerateContent?alt=sse`, contents, { key: `-N ${google}` }),
      prints: 'events',
      shows: '"finishReason":"STOP"',
    },
    {
      route: `POST ${prefix}/models/{model}:countTokens`,
      language: 'sh',
      text: post(`${prefix}/models/parley-demo:countTokens`, contents, { key: google }),
      prints: 'json',
      shows: '"totalTokens"',
    },
    {
      route: `POST ${prefix}/models/{model}:embedContent`,
      language: 'sh',
      text: post(`${prefix}/models/parley-demo-embed:embedContent`, '{"content": {"parts": [{"text": "A red bicycle"}]}}', { key: google }),
      prints: 'json',
      shows: '"values"',
    },
    {
      route: `POST ${prefix}/models/{model}:batchEmbedContents`,
      language: 'sh',
      text: post(
        `${prefix}/models/parley-demo-embed:batchEmbedContents`,
        '{"requests": [{"model": "models/parley-demo-embed", "content": {"parts": [{"text": "A red bicycle"}]}}]}',
        { key: google },
      ),
      prints: 'json',
      shows: '"embeddings"',
    },
    {
      route: `POST ${prefix}/models/{model}:predict`,
      language: 'sh',
      text: post(`${prefix}/models/parley-demo-image:predict`, '{"instances": [{"prompt": "A red bicycle"}]}', { key: google }),
      prints: 'text',
      shows: 'serve this endpoint',
    },
  ]),
]

/** Samples of the endpoints for models. */
export const modelSamples: readonly Sample[] = [
  { route: 'GET /v1/key', language: 'sh', text: get('/v1/key'), prints: 'json', shows: '"spent"' },
  { route: 'GET /v1/key/usage', language: 'sh', text: get('/v1/key/usage'), prints: 'json', shows: '"budgets"' },
  { route: 'GET /v1/models', language: 'sh', text: get('/v1/models'), prints: 'json', shows: '"parley-demo"' },
  {
    route: 'GET /v1/models',
    language: 'sh',
    text: get('/v1/models', anthropic),
    prints: 'json',
    shows: '"display_name"',
    note: 'In the format of the Messages protocol.',
  },
  {
    route: 'GET /v1/models',
    language: 'sh',
    text: 'curl -s "$PARLEY_URL/v1/models?key=$PARLEY_KEY"',
    prints: 'json',
    shows: '"nextPageToken"',
    note: 'In the format of Gemini.',
  },
  { route: 'GET /v1/models/{model}', language: 'sh', text: get('/v1/models/parley-demo'), prints: 'json', shows: '"parley-demo"' },
  { route: 'GET /v1beta/models', language: 'sh', text: get('/v1beta/models', google), prints: 'json', shows: '"models/parley-demo"' },
  {
    route: 'GET /v1beta/models/{model}',
    language: 'sh',
    text: get('/v1beta/models/parley-demo', google),
    prints: 'json',
    shows: '"models/parley-demo"',
  },
  { route: 'GET /v1beta/openai/models', language: 'sh', text: get('/v1beta/openai/models'), prints: 'json', shows: '"parley-demo"' },
]
