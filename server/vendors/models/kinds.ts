/**
 * What a model is for, read from its name where makers name all of a kind alike: operations with a blank between them.
 * Nothing is said of a name that fits no row; a channel can say it (`capabilities: { serves: "embed" }`).
 */
const kinds: readonly (readonly [RegExp, string])[] = [
  // Makers of embeddings call their rerankers alike: bge-reranker-v2-m3.
  [/rerank/, 'rerank'],
  [/embed|^(bge|e5|gte|voyage)-/, 'embed'],
  [/moderation/, 'moderate'],
  [/realtime/, 'realtime'],
  [/whisper|transcribe/, 'transcribe'],
  [/^gemini-.*tts/, 'generate speak'],
  [/(^|-)tts(-|$)|-speech$/, 'speak'],
  [/^(dall-e|gpt-image|imagen)/, 'image'],
  [/^gemini-.*image/, 'generate image'],
  [/-image$/, 'image'],
  [/^(gpt-\d|o\d(-|$)|chatgpt-|claude-|gemini-|parley-demo$)/, 'generate'],
]

/** The fact `serves` of a model's upstream name, or nothing. A namespace before the name (`vendor/model`) says nothing. */
export function kindFacts(model: string): { serves?: string } {
  const name = model.toLowerCase().split('/').at(-1) ?? ''
  const serves = kinds.find(([pattern]) => pattern.test(name))?.[1]
  return serves === undefined ? {} : { serves }
}
