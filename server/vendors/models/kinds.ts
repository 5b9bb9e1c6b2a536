/**
 * What a model is for, derived from its name where vendors name a kind alike: operations separated by spaces. Names that match no row
 * get no fact; a channel can set it (`capabilities: { serves: "embed" }`).
 */
const kinds: readonly (readonly [RegExp, string])[] = [
  // Rerankers are named like embedding models: bge-reranker-v2-m3.
  [/rerank/, 'rerank'],
  [/embed|^(bge|e5|gte|voyage)-/, 'embed'],
  [/moderation/, 'moderate'],
  [/realtime|^gemini-.*(live|native-audio)/, 'realtime'],
  [/whisper|transcribe/, 'transcribe'],
  [/^gemini-.*tts/, 'generate speak'],
  [/(^|-)tts(-|$)|-speech$/, 'speak'],
  [/^(dall-e|gpt-image|imagen)/, 'image'],
  [/^(sora|veo)-/, 'video'],
  [/^gemini-.*image/, 'generate image'],
  [/-image$/, 'image'],
  [/^(gpt-\d|o\d(-|$)|chatgpt-|claude-|gemini-|parley-demo$)/, 'generate'],
]

/** The fact `serves` for an upstream model name, or empty. A namespace before the name (`vendor/model`) is ignored. */
export function kindFacts(model: string): { serves?: string } {
  const name = model.toLowerCase().split('/').at(-1) ?? ''
  const serves = kinds.find(([pattern]) => pattern.test(name))?.[1]
  return serves === undefined ? {} : { serves }
}
