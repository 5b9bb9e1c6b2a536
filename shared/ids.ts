/**
 * Closed lists that both sides agree on: dialects, operations, vendors, and what converts to what.
 * Routing reads the conversion table here, so that it needs no protocol.
 */

/** One wire contract for generation. */
export const dialects = ['chat', 'completions', 'responses', 'messages', 'gemini'] as const
export type Dialect = (typeof dialects)[number]

/** What a caller asks for. */
export const operations = [
  'generate',
  'embed',
  'image',
  'transcribe',
  'speak',
  'rerank',
  'moderate',
  'search',
  'compact',
  'realtime',
  'count-tokens',
] as const
export type Operation = (typeof operations)[number]

/** A family of wire shapes for operations other than generation. */
export const styles = ['openai', 'gemini', 'jina', 'cohere'] as const
export type Style = (typeof styles)[number]

/** Operations that are one question and one answer, with the styles each is spoken in; the first is the usual one. */
export const stylesOf = {
  embed: ['openai', 'gemini'],
  image: ['openai', 'gemini'],
  transcribe: ['openai'],
  speak: ['openai'],
  rerank: ['jina', 'cohere'],
  moderate: ['openai'],
  search: ['openai'],
} as const satisfies Partial<Record<Operation, readonly Style[]>>
export type SideOperation = keyof typeof stylesOf
export const isSideOperation = (operation: Operation): operation is SideOperation => operation in stylesOf

/** What a request was written in, as its usage row names it. */
export type Wire = Dialect | Style

/** Services and local servers that copy the layouts of others. A row here needs its entry in `server/vendors/services.ts`. */
export const serviceIds = [
  'openrouter',
  'deepseek',
  'xai',
  'mistral',
  'groq',
  'together',
  'fireworks',
  'perplexity',
  'moonshot',
  'zai',
  'minimax',
  'dashscope',
  'siliconflow',
  'volcengine',
  'cerebras',
  'nvidia',
  'huggingface',
  'deepinfra',
  'novita',
  'vercel',
  'ollama',
  'vllm',
  'llama-cpp',
  'lmstudio',
] as const
export type ServiceId = (typeof serviceIds)[number]

/** Kinds of upstream that this build knows. A row here needs its entry in `server/vendors`. */
export const vendorIds = [
  'openai',
  'anthropic',
  'gemini',
  'azure-openai',
  'vertex',
  'bedrock',
  'cohere',
  'jina',
  'openai-compatible',
  ...serviceIds,
  'parley',
  'demo',
] as const
export type VendorId = (typeof vendorIds)[number]

/** Upstream dialects that can serve a client dialect, the native one first. */
export const servedBy: Record<Dialect, readonly Dialect[]> = {
  chat: ['chat', 'responses', 'messages', 'gemini'],
  completions: ['completions', 'chat', 'responses', 'messages', 'gemini'],
  responses: ['responses', 'messages', 'chat', 'gemini'],
  messages: ['messages', 'responses', 'chat', 'gemini'],
  gemini: ['gemini', 'messages', 'responses', 'chat'],
}

export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

/** How an answer ended: complete, cut at a length limit, cut by the upstream, left by the client, or an error. */
export const ends = ['complete', 'length', 'cut', 'aborted', 'error'] as const
export type End = (typeof ends)[number]

/** Where a usage figure came from. */
export const provenances = ['provider', 'partial', 'estimated'] as const
export type Provenance = (typeof provenances)[number]

/** Who owns a row: parley.yaml, which then alone may change it, or the console. */
export type Managed = 'file' | 'console'
