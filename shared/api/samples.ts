/**
 * One call of every endpoint, against the built-in demo models. The API reference prints them; a test runs each as printed,
 * in this order and in one folder, so that a later one may use what an earlier one made.
 */
import { bearer, form, json, post, type Sample } from './sample.ts'
import { addressSamples } from './samples/addresses.ts'
import { batchSamples } from './samples/batches.ts'
import { conversationSamples, itemSamples, modelSamples } from './samples/conversations.ts'
import { fileSamples } from './samples/files.ts'
import { interactionSamples } from './samples/interactions.ts'
import { objectSamples } from './samples/objects.ts'
import { videoSamples } from './samples/videos.ts'

const others: readonly Sample[] = [
  {
    route: 'POST /v1/embeddings',
    language: 'sh',
    text: post('/v1/embeddings', '{"model": "parley-demo-embed", "input": ["A red bicycle", "A blue car"]}'),
    prints: 'json',
    shows: '"embedding"',
  },
  {
    route: 'POST /v1/engines/{model}/embeddings',
    language: 'sh',
    text: post('/v1/engines/parley-demo-embed/embeddings', '{"input": "A red bicycle"}'),
    prints: 'json',
    shows: '"embedding"',
  },
  {
    route: 'POST /v1/images/generations',
    language: 'sh',
    text: `${post('/v1/images/generations', '{"model": "parley-demo-image", "prompt": "A red bicycle"}', { after: ' > image.json' })}
sed 's/.*"b64_json":"\\([^"]*\\)".*/\\1/' image.json | base64 -d > bicycle.png
cat image.json`,
    prints: 'json',
    shows: '"b64_json"',
  },
  {
    route: 'POST /v1/images/edits',
    language: 'sh',
    text: form('/v1/images/edits', ['model=parley-demo-image', "prompt='Make it blue'", 'image=@bicycle.png']),
    prints: 'json',
    shows: '"b64_json"',
    note: 'Uses the image from the previous sample.',
  },
  {
    route: 'POST /v1/images/edits',
    language: 'sh',
    text: `printf '{"model": "parley-demo-image", "prompt": "Make it blue", "images": [{"image_url": "data:image/png;base64,%s"}]}' \\
  "$(base64 < bicycle.png | tr -d '\\n')" > edit.json
curl -s "$PARLEY_URL/v1/images/edits" ${bearer} ${json} -d @edit.json`,
    prints: 'json',
    shows: '"b64_json"',
    note: 'The same as JSON.',
  },
  {
    route: 'POST /v1/images/variations',
    language: 'sh',
    text: form('/v1/images/variations', ['model=parley-demo-image', 'image=@bicycle.png']),
    prints: 'json',
    shows: '"b64_json"',
  },
  {
    route: 'POST /v1/edits',
    language: 'sh',
    text: form('/v1/edits', ['model=parley-demo-image', "prompt='Make it blue'", 'image=@bicycle.png']),
    prints: 'json',
    shows: '"b64_json"',
  },
  {
    route: 'POST /v1/audio/speech',
    language: 'sh',
    text: post('/v1/audio/speech', '{"model": "parley-demo-speech", "voice": "alloy", "input": "Good morning", "response_format": "wav"}', {
      key: `-o speech.wav ${bearer}`,
    }),
    prints: 'file',
    shows: 'speech.wav',
  },
  {
    route: 'POST /v1/audio/transcriptions',
    language: 'sh',
    text: form('/v1/audio/transcriptions', ['model=parley-demo-transcribe', 'file=@speech.wav']),
    prints: 'json',
    shows: '"text"',
    note: 'Uses the audio from the previous sample.',
  },
  {
    route: 'POST /v1/audio/translations',
    language: 'sh',
    text: form('/v1/audio/translations', ['model=parley-demo-transcribe', 'file=@speech.wav']),
    prints: 'json',
    shows: '"text"',
  },
  {
    route: 'POST /v1/rerank',
    language: 'sh',
    text: post(
      '/v1/rerank',
      '{"model": "parley-demo-rerank", "query": "red bicycle", "documents": ["A blue car", "A red bicycle"], "top_n": 1}',
    ),
    prints: 'json',
    shows: '"index":1',
  },
  {
    route: 'POST /v2/rerank',
    language: 'sh',
    text: post(
      '/v2/rerank',
      '{"model": "parley-demo-rerank", "query": "red bicycle", "documents": ["A blue car", "A red bicycle"], "top_n": 1}',
    ),
    prints: 'json',
    shows: '"index":1',
  },
  {
    route: 'POST /v1/moderations',
    language: 'sh',
    text: post('/v1/moderations', '{"model": "parley-demo-moderation", "input": "Have a nice day"}'),
    prints: 'json',
    shows: '"flagged":false',
  },
  {
    route: 'POST /v1/alpha/search',
    language: 'sh',
    text: post('/v1/alpha/search', '{"id": "search-1", "model": "parley-demo", "commands": {"search_query": [{"q": "bicycles"}]}}'),
    prints: 'json',
    shows: '"unsupported_endpoint"',
    refusal: 'unsupported_endpoint',
    note: 'The demo does not search the web and refuses this. A channel that supports search serves it.',
  },
  {
    route: 'GET /v1/realtime',
    language: 'js',
    text: `const { PARLEY_URL, PARLEY_KEY } = process.env
const address = \`\${PARLEY_URL.replace(/^http/, 'ws')}/v1/realtime?model=parley-demo-realtime\`
const socket = new WebSocket(address, ['realtime', \`openai-insecure-api-key.\${PARLEY_KEY}\`])
const send = (event) => socket.send(JSON.stringify(event))

socket.onmessage = ({ data }) => {
  const event = JSON.parse(data)
  if (event.type === 'session.created') {
    const content = [{ type: 'input_text', text: 'Hello' }]
    send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
    send({ type: 'response.create' })
  }
  if (event.type === 'response.output_text.delta') console.log(event.delta)
  if (event.type === 'response.done') {
    console.log(event.response.status)
    socket.close()
  }
}`,
    prints: 'text',
    shows: 'completed',
    note: 'Node 22 or later, or Bun. Clients that can send headers use `Authorization: Bearer` instead.',
  },
  {
    route: 'GET /ws/{service}',
    language: 'js',
    text: `const { PARLEY_URL, PARLEY_KEY } = process.env
const service = 'google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const socket = new WebSocket(\`\${PARLEY_URL.replace(/^http/, 'ws')}/ws/\${service}?key=\${PARLEY_KEY}\`)

socket.onopen = () => socket.send(JSON.stringify({ setup: { model: 'models/parley-demo-realtime' } }))
socket.onmessage = async ({ data }) => console.log(typeof data === 'string' ? data : await data.text())
socket.onclose = ({ code, reason }) => console.log(code, reason)`,
    prints: 'text',
    shows: 'No channel of this model',
    note: 'The demo speaks OpenAI’s words only and refuses this. A Gemini channel serves it, with `ai.live.connect` of Google’s SDK too.',
  },
]

/** All samples, in the order in which they run. */
export const samples: readonly Sample[] = [
  ...conversationSamples,
  ...itemSamples,
  ...interactionSamples,
  ...others,
  ...fileSamples,
  ...videoSamples,
  ...batchSamples,
  ...objectSamples,
  ...addressSamples,
  ...modelSamples,
]
