/**
 * Closed lists that both sides agree on: dialects, operations, vendors, and which dialect can serve which. The conversion
 * table is here so that routing needs no protocol.
 */
/** Wire contracts for generation. */
export const dialects = ['chat', 'completions', 'responses', 'messages', 'gemini'] as const
/** A wire contract for generation. */
export type Dialect = (typeof dialects)[number]

/** The kind of a request. */
export const operations = [
  'generate',
  'embed',
  'image',
  'video',
  'transcribe',
  'speak',
  'rerank',
  'moderate',
  'search',
  'interact',
  'compact',
  'realtime',
  'count-tokens',
  'state',
] as const
/** The kind of a request. */
export type Operation = (typeof operations)[number]

/** Families of wire formats for operations other than generation. */
export const styles = ['openai', 'gemini', 'jina', 'cohere', 'voyage', 'vertex', 'elevenlabs', 'deepgram', 'replicate'] as const
/** A wire format for operations other than generation. */
export type Style = (typeof styles)[number]

/** Operations that are one request and one response, with the styles each exists in; the first is the default. */
export const stylesOf = {
  embed: ['openai', 'gemini', 'voyage', 'vertex'],
  image: ['openai', 'gemini', 'replicate'],
  video: ['openai', 'gemini'],
  transcribe: ['openai', 'elevenlabs', 'deepgram'],
  speak: ['openai', 'gemini', 'elevenlabs', 'deepgram'],
  rerank: ['jina', 'cohere', 'voyage'],
  moderate: ['openai'],
  search: ['openai'],
} as const satisfies Partial<Record<Operation, readonly Style[]>>
/** An operation with styles instead of dialects. */
export type SideOperation = keyof typeof stylesOf
/** Whether an operation has styles instead of dialects. */
export const isSideOperation = (operation: Operation): operation is SideOperation => operation in stylesOf

/** The dialect or style of a request, as its usage row names it. */
export type Wire = Dialect | Style

/** Subscriptions for coding. A row here needs its entry in `server/vendors/services/coding-plans.ts`. */
export const codingPlanIds = ['zai-coding', 'zhipu-coding', 'kimi-coding', 'dashscope-coding', 'volcengine-coding'] as const
/** A subscription for coding. */
export type CodingPlanId = (typeof codingPlanIds)[number]

/** Services and local servers that copy the API of another vendor. A row here needs its entry in `server/vendors/services`. */
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
  'moonshot-cn',
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
  'sambanova',
  'baseten',
  'github-models',
  'hunyuan',
  'zhipu',
  'qianfan',
  'iflytek',
  ...codingPlanIds,
  'ollama',
  'vllm',
  'llama-cpp',
  'lmstudio',
] as const
/** A service that copies the API of another vendor. */
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
  'voyage',
  'elevenlabs',
  'deepgram',
  'replicate',
  'azure-foundry',
  'cloudflare',
  'databricks',
  'watsonx',
  'openai-compatible',
  ...serviceIds,
  'parley',
  'demo',
] as const
/** A kind of upstream. */
export type VendorId = (typeof vendorIds)[number]

/** Upstream dialects that can serve a client dialect, the native one first. */
export const servedBy: Record<Dialect, readonly Dialect[]> = {
  chat: ['chat', 'responses', 'messages', 'gemini'],
  completions: ['completions', 'chat', 'responses', 'messages', 'gemini'],
  responses: ['responses', 'messages', 'chat', 'gemini'],
  messages: ['messages', 'responses', 'chat', 'gemini'],
  gemini: ['gemini', 'messages', 'responses', 'chat'],
}

/** Roles of users. */
export const roles = ['user', 'admin'] as const
/** Role of a user. */
export type Role = (typeof roles)[number]

/** How a sign-in was proved: by a password, by the identity provider, or by a passkey alone. */
export type SignInWay = 'password' | 'provider' | 'passkey'

/** Kinds of second factors: codes of an authenticator app, or a passkey. */
export const factorKinds = ['app', 'passkey'] as const
/** Kind of a second factor. */
export type FactorKind = (typeof factorKinds)[number]

/**
 * What a member may do in a team, most first. `owner`: everything, and makes managers; `manager`: keys, members and caps of those below;
 * `member`: spends, with keys of its own; `accountant`: reads, and spends nothing.
 */
export const teamRoles = ['owner', 'manager', 'member', 'accountant'] as const
/** Role of a user in a team. */
export type TeamRole = (typeof teamRoles)[number]

/** Kinds of wallet entries: an opening grant, money credited or withdrawn, and the charge of a request. */
export const entryKinds = ['grant', 'credit', 'usage'] as const
/** Kind of an entry. */
export type EntryKind = (typeof entryKinds)[number]

/** Whether a payer's id is a team's. */
export const isTeamId = (id: string): boolean => id.startsWith('team_')
/** The id of a user's membership in a team, current, past or future. */
export const memberIdOf = (teamId: string, userId: string): string => `${teamId}.${userId}`
/** The team of such a membership. */
export const teamOfMember = (memberId: string): string => memberId.slice(0, memberId.indexOf('.'))
/** Owner of requests that Parley itself sends, such as scheduled checks of channels: no user has this id. */
export const house = { id: 'house', name: 'Parley' } as const
/** Placeholder for the key in rows of scheduled checks. */
export const scheduledCheck = 'scheduled check'

/** The user of a member's id. */
export const userOfMember = (memberId: string): string => memberId.slice(memberId.indexOf('.') + 1)

/** How an answer ended: complete, stopped at a length limit, cut off by the upstream, abandoned by the client, or an error. */
export const ends = ['complete', 'length', 'cut', 'aborted', 'error'] as const
/** How an answer ended. */
export type End = (typeof ends)[number]
/** Those that usage counts as errors. */
export const failedEnds: readonly End[] = ['error', 'cut']

/** Where a usage figure came from: reported by the provider, reported in part, or estimated. */
export const provenances = ['provider', 'partial', 'estimated'] as const
/** Where a usage figure came from. */
export type Provenance = (typeof provenances)[number]

/** Who owns a row: parley.yaml, which alone may then change it, or the console. */
export type Managed = 'file' | 'console'
