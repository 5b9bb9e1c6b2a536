/** Samples of batches and multipart uploads. */
import { anthropic, bearer, form, get, google, json, post, type Sample } from '../sample.ts'

const line = `{"custom_id": "first", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "parley-demo", "messages": [{"role": "user", "content": "Hello"}]}}`
const file = `printf '%s\\n' '${line}' > requests.jsonl
file=$(curl -s "$PARLEY_URL/v1/files" ${bearer} -F purpose=batch -F file=@requests.jsonl | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')\n`
const create = `printf '{"input_file_id": "%s", "endpoint": "/v1/chat/completions", "completion_window": "24h"}' "$file" |
  curl -s "$PARLEY_URL/v1/batches" ${bearer} ${json} -d @-`
const idFirst = `sed 's/[^{]*{"id":"\\([^"]*\\)".*/\\1/'`
const begun = `${file}id=$(${create} | ${idFirst})\n`
const requests = `{"requests": [{"custom_id": "first", "params": {"model": "parley-demo", "max_tokens": 50, "messages": [{"role": "user", "content": "Hello"}]}}]}`
const ofMessages = `id=$(curl -s "$PARLEY_URL/v1/messages/batches" ${anthropic} ${json} \\
  -d '${requests}' | ${idFirst})\n`
const whenEnded = `until curl -s "$PARLEY_URL/v1/messages/batches/$id" ${anthropic} | grep -q '"ended"'; do sleep 0.2; done\n`
const inGemini = (request: string) => `{"batch": {"inputConfig": {"requests": {"requests": [{"request": ${request}}]}}}}`
const geminiRequests = {
  'parley-demo:batchGenerateContent': inGemini('{"contents": [{"parts": [{"text": "Hello"}]}]}'),
  'parley-demo-embed:asyncBatchEmbedContent': inGemini('{"content": {"parts": [{"text": "Hello"}]}}'),
}
const geminiNamed = `id=$(curl -s "$PARLEY_URL/v1beta/models/parley-demo:batchGenerateContent" ${google} ${json} \\
  -d '${geminiRequests['parley-demo:batchGenerateContent']}' | sed 's/.*"name":"batches\\/\\([^"]*\\)".*/\\1/')\n`
const geminiEnded = `until curl -s "$PARLEY_URL/v1beta/batches/$id" ${google} | grep -q '"done":true'; do sleep 0.2; done\n`
const upload = `id=$(curl -s "$PARLEY_URL/v1/uploads" ${bearer} ${json} \\
  -d '{"bytes": 19, "filename": "tiles.txt", "mime_type": "text/plain", "purpose": "user_data"}' | ${idFirst})\n`
const part = `printf 'The tiles are blue.' > tiles.txt
part=$(curl -s "$PARLEY_URL/v1/uploads/$id/parts" ${bearer} -F data=@tiles.txt | ${idFirst})\n`

/** In the order in which they run. */
export const batchSamples: readonly Sample[] = [
  { route: 'POST /v1/batches', language: 'sh', text: `${file}${create}`, prints: 'json', shows: '"in_progress"' },
  { route: 'GET /v1/batches', language: 'sh', text: get('/v1/batches'), prints: 'json', shows: '"batch_' },
  { route: 'GET /v1/batches/{id}', language: 'sh', text: `${begun}${get('/v1/batches/$id')}`, prints: 'json', shows: '"request_counts"' },
  {
    route: 'POST /v1/batches/{id}/cancel',
    language: 'sh',
    text: `${begun}curl -s -X POST "$PARLEY_URL/v1/batches/$id/cancel" ${bearer}`,
    prints: 'json',
    shows: '"batch"',
  },
  {
    route: 'POST /v1/messages/batches',
    language: 'sh',
    text: post('/v1/messages/batches', requests, { key: anthropic }),
    prints: 'json',
    shows: '"message_batch"',
  },
  { route: 'GET /v1/messages/batches', language: 'sh', text: get('/v1/messages/batches', anthropic), prints: 'json', shows: '"msgbatch_' },
  {
    route: 'GET /v1/messages/batches/{id}',
    language: 'sh',
    text: `${ofMessages}${get('/v1/messages/batches/$id', anthropic)}`,
    prints: 'json',
    shows: '"message_batch"',
  },
  {
    route: 'POST /v1/messages/batches/{id}/cancel',
    language: 'sh',
    text: `${ofMessages}curl -s -X POST "$PARLEY_URL/v1/messages/batches/$id/cancel" ${anthropic}`,
    prints: 'json',
    shows: '"message_batch"',
  },
  {
    route: 'GET /v1/messages/batches/{id}/results',
    language: 'sh',
    text: `${ofMessages}${whenEnded}${get('/v1/messages/batches/$id/results', anthropic)}`,
    prints: 'text',
    shows: '"succeeded"',
  },
  {
    route: 'DELETE /v1/messages/batches/{id}',
    language: 'sh',
    text: `${ofMessages}${whenEnded}curl -s -X DELETE "$PARLEY_URL/v1/messages/batches/$id" ${anthropic}`,
    prints: 'json',
    shows: '"message_batch_deleted"',
  },
  ...['/v1beta', '/v1'].flatMap((prefix) =>
    Object.entries(geminiRequests).map(
      ([action, body]): Sample => ({
        route: `POST ${prefix}/models/{model}:${action.split(':')[1]}`,
        language: 'sh',
        text: post(`${prefix}/models/${action}`, body, { key: google }),
        ...{ prints: 'json', shows: '"BATCH_STATE_RUNNING"' },
      }),
    ),
  ),
  { route: 'GET /v1beta/batches', language: 'sh', text: get('/v1beta/batches', google), prints: 'json', shows: '"batches/batch_' },
  {
    route: 'GET /v1beta/batches/{id}',
    language: 'sh',
    text: `${geminiNamed}${geminiEnded}${get('/v1beta/batches/$id', google)}`,
    prints: 'json',
    shows: '"inlinedResponses"',
  },
  ...['/v1beta', '/v1'].flatMap((prefix): Sample[] => [
    {
      route: `POST ${prefix}/batches/{id}`,
      language: 'sh',
      text: `${geminiNamed}curl -s -X POST "$PARLEY_URL${prefix}/batches/$id:cancel" ${google}`,
      ...{ prints: 'json', shows: '{}' },
    },
    {
      route: `DELETE ${prefix}/batches/{id}`,
      language: 'sh',
      text: `${geminiNamed}${geminiEnded}curl -s -X DELETE "$PARLEY_URL${prefix}/batches/$id" ${google}`,
      ...{ prints: 'json', shows: '{}' },
    },
  ]),
  {
    route: 'POST /v1/uploads',
    language: 'sh',
    text: post('/v1/uploads', '{"bytes": 19, "filename": "tiles.txt", "mime_type": "text/plain", "purpose": "user_data"}'),
    prints: 'json',
    shows: '"pending"',
  },
  {
    route: 'POST /v1/uploads/{id}/parts',
    language: 'sh',
    text: `${upload}printf 'The tiles are blue.' > tiles.txt\n${form('/v1/uploads/$id/parts', ['data=@tiles.txt'])}`,
    prints: 'json',
    shows: '"upload.part"',
  },
  {
    route: 'POST /v1/uploads/{id}/complete',
    language: 'sh',
    text: `${upload}${part}printf '{"part_ids": ["%s"]}' "$part" | curl -s "$PARLEY_URL/v1/uploads/$id/complete" ${bearer} ${json} -d @-`,
    prints: 'json',
    shows: '"completed"',
  },
  {
    route: 'POST /v1/uploads/{id}/cancel',
    language: 'sh',
    text: `${upload}curl -s -X POST "$PARLEY_URL/v1/uploads/$id/cancel" ${bearer}`,
    prints: 'json',
    shows: '"cancelled"',
  },
]
