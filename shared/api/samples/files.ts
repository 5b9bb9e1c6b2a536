/** Samples of the endpoints of files. */
import { anthropic, bearer, form, get, google, type Sample } from '../sample.ts'

const uploaded = `printf 'The tiles are blue.' > tiles.txt
id=$(curl -s "$PARLEY_URL/v1/files" ${bearer} -F purpose=user_data -F file=@tiles.txt | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')\n`
const begin = (path: string) => `printf 'The tiles are blue.' > tiles.txt
address=$(curl -s -D - -o start.json "$PARLEY_URL${path}" ${google} -H 'Content-Type: application/json' \\
  -H 'X-Goog-Upload-Protocol: resumable' -H 'X-Goog-Upload-Command: start' -H 'X-Goog-Upload-Header-Content-Type: text/plain' \\
  -d '{"file": {"displayName": "tiles"}}' | tr -d '\\r' | sed -n 's/^x-goog-upload-url: //ip')
curl -s "$address" -H 'X-Goog-Upload-Command: upload, finalize' -H 'X-Goog-Upload-Offset: 0' --data-binary @tiles.txt`

/** In the order in which they run. */
export const fileSamples: readonly Sample[] = [
  {
    route: 'POST /v1/files',
    language: 'sh',
    text: `printf 'The tiles are blue.' > tiles.txt\n${form('/v1/files', ['purpose=user_data', 'file=@tiles.txt'])}`,
    prints: 'json',
    shows: '"file_parleyf',
  },
  {
    route: 'POST /v1/files',
    language: 'sh',
    text: `${uploaded}printf '{"model": "parley-demo", "input": [{"role": "user", "content": [
  {"type": "input_file", "file_id": "%s"}, {"type": "input_text", "text": "Which colour?"}]}]}' "$id" |
  curl -s "$PARLEY_URL/v1/responses" ${bearer} -H 'Content-Type: application/json' -d @-`,
    prints: 'text',
    shows: '"completed"',
    note: 'A question about the file.',
  },
  { route: 'GET /v1/files', language: 'sh', text: get('/v1/files'), prints: 'json', shows: '"tiles.txt"' },
  {
    route: 'GET /v1/files',
    language: 'sh',
    text: get('/v1/files', anthropic),
    prints: 'json',
    shows: '"mime_type":"text/plain"',
    note: 'The same in the words of Messages.',
  },
  { route: 'GET /v1/files/{id}', language: 'sh', text: `${uploaded}${get('/v1/files/$id')}`, prints: 'json', shows: '"tiles.txt"' },
  {
    route: 'GET /v1/files/{id}/content',
    language: 'sh',
    text: `${uploaded}${get('/v1/files/$id/content')}`,
    prints: 'text',
    shows: 'The tiles are blue.',
  },
  {
    route: 'DELETE /v1/files/{id}',
    language: 'sh',
    text: `${uploaded}curl -s -X DELETE "$PARLEY_URL/v1/files/$id" ${bearer}`,
    prints: 'json',
    shows: '"deleted":true',
  },
  ...['/upload/v1beta/files', '/upload/v1/files'].map(
    (path): Sample => ({ route: `POST ${path}`, language: 'sh', text: begin(path), prints: 'json', shows: '"ACTIVE"' }),
  ),
  { route: 'GET /v1beta/files', language: 'sh', text: get('/v1beta/files', google), prints: 'json', shows: '"files/parleyf' },
  {
    route: 'GET /v1beta/files/{id}',
    language: 'sh',
    text: `${uploaded}${get(`/v1beta/files/\${id#file_}`, google)}`,
    prints: 'json',
    shows: '"displayName":"tiles.txt"',
  },
  {
    route: 'DELETE /v1beta/files/{id}',
    language: 'sh',
    text: `${uploaded}curl -s -X DELETE "$PARLEY_URL/v1beta/files/\${id#file_}" ${google}`,
    prints: 'json',
    shows: '{}',
  },
]
