/** Vendors with their display names. */
import { codingPlanIds, type VendorId, vendorIds } from '#shared/ids'

/** A vendor in the gallery. */
export interface VendorCard {
  id: VendorId
  title: string
  /** Two letters in place of a logo. */
  monogram: string
  /** It has no default address. */
  needsAddress: boolean
  /** It usually needs no key: a self-hosted server. */
  keyless: boolean
  kind: VendorKind
}

/** The sections of the gallery, in order. */
export const vendorKinds = ['maker', 'cloud', 'host', 'machine', 'plan', 'other'] as const
export type VendorKind = (typeof vendorKinds)[number]

const titles: Record<VendorId, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Google Gemini',
  'azure-openai': 'Azure OpenAI',
  vertex: 'Google Vertex AI',
  bedrock: 'Amazon Bedrock',
  cohere: 'Cohere',
  jina: 'Jina',
  voyage: 'Voyage AI',
  elevenlabs: 'ElevenLabs',
  replicate: 'Replicate',
  deepgram: 'Deepgram',
  'azure-foundry': 'Azure AI Foundry',
  cloudflare: 'Cloudflare Workers AI',
  databricks: 'Databricks',
  watsonx: 'IBM watsonx.ai',
  'openai-compatible': 'OpenAI-compatible',
  openrouter: 'OpenRouter',
  deepseek: 'DeepSeek',
  xai: 'xAI',
  mistral: 'Mistral',
  groq: 'Groq',
  together: 'Together',
  fireworks: 'Fireworks',
  perplexity: 'Perplexity',
  moonshot: 'Moonshot',
  zai: 'Z.ai',
  minimax: 'MiniMax',
  dashscope: 'Alibaba DashScope',
  siliconflow: 'SiliconFlow',
  volcengine: 'Volcengine',
  cerebras: 'Cerebras',
  nvidia: 'NVIDIA',
  huggingface: 'Hugging Face',
  deepinfra: 'DeepInfra',
  novita: 'Novita',
  vercel: 'Vercel AI Gateway',
  ollama: 'Ollama',
  vllm: 'vLLM',
  'llama-cpp': 'llama.cpp',
  lmstudio: 'LM Studio',
  baseten: 'Baseten',
  'github-models': 'GitHub Models',
  hunyuan: 'Tencent Hunyuan',
  'moonshot-cn': 'Moonshot (China)',
  sambanova: 'SambaNova',
  zhipu: 'Zhipu (China)',
  qianfan: 'Baidu Qianfan',
  iflytek: 'iFlytek Spark',
  'zai-coding': 'Z.ai coding plan',
  'zhipu-coding': 'Zhipu coding plan',
  'kimi-coding': 'Kimi coding plan',
  'dashscope-coding': 'Alibaba coding plan',
  'volcengine-coding': 'Volcengine coding plan',
  parley: 'Parley',
  demo: 'Demo',
}
const withoutAddress: readonly VendorId[] = ['openai-compatible', 'azure-openai', 'azure-foundry', 'databricks', 'parley']
const own: readonly VendorId[] = ['ollama', 'vllm', 'llama-cpp', 'lmstudio', 'demo']

const kinds: Record<Exclude<VendorKind, 'host'>, readonly VendorId[]> = {
  maker: [
    ...([
      'openai',
      'anthropic',
      'gemini',
      'mistral',
      'deepseek',
      'xai',
      'cohere',
      'jina',
      'voyage',
      'moonshot',
      'moonshot-cn',
      'zai',
    ] as const),
    ...(['zhipu', 'minimax', 'perplexity', 'elevenlabs', 'deepgram', 'iflytek'] as const),
  ],
  cloud: [
    ...(['azure-openai', 'azure-foundry', 'bedrock', 'vertex', 'dashscope', 'volcengine', 'hunyuan', 'qianfan', 'databricks'] as const),
    ...(['watsonx', 'nvidia', 'cloudflare'] as const),
  ],
  machine: ['ollama', 'vllm', 'llama-cpp', 'lmstudio'],
  plan: codingPlanIds,
  other: ['openai-compatible', 'parley', 'demo'],
}
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[]

/** The gallery, in the order of `shared/ids`. */
export const vendorCards: readonly VendorCard[] = vendorIds.map((id) => ({
  id,
  title: titles[id],
  monogram: id.slice(0, 2),
  needsAddress: withoutAddress.includes(id),
  keyless: own.includes(id),
  // Every other vendor hosts the models of others.
  kind: kindNames.find((kind) => kinds[kind].includes(id)) ?? 'host',
}))

/** The card of a vendor. */
export const vendorCard = (id: string): VendorCard | undefined => vendorCards.find((card) => card.id === id)

/** Whether a channel is the built-in demo, which nobody can change. */
export const isDemo = ({ id }: { id: string }): boolean => id === 'demo'
