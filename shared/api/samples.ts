/**
 * One call of every endpoint, against the built-in demo models. The API reference prints them; a test runs each as printed,
 * in this order and in one folder, so that a later one may use what an earlier one created.
 */
import { bearer, form, json, post, type Sample } from './sample.ts'
import { addressSamples } from './samples/addresses.ts'
import { batchSamples } from './samples/batches.ts'
import { conversationSamples, itemSamples, modelSamples } from './samples/conversations.ts'
import { fileSamples } from './samples/files.ts'
import { interactionSamples } from './samples/interactions.ts'
import { objectSamples } from './samples/objects.ts'
import { realtimeSamples } from './samples/realtime.ts'
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
  ...realtimeSamples,
  ...objectSamples,
  ...addressSamples,
  ...modelSamples,
]
