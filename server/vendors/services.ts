/**
 * Popular services and local servers; all copy the Chat API, some also others. One row each. `read` lists where URL, dialects and
 * quirks were read, on 2026-11-20; nothing was run against the real service. A quirk without a source is left out, and a dialect that
 * a row's sources do not name is not in its defaults.
 */

import type { ServiceId } from '#shared/ids'
import { codingPlans } from './coding-plans.ts'
import { localServices } from './local-services.ts'
import { glmFacts } from './models/copied.ts'
import type { Service } from './service.ts'

/** Fields that OpenAI alone knows. */
const openaiOnly = [
  ...['safety_identifier', 'service_tier', 'prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'verbosity'],
  ...['store', 'user', 'logit_bias', 'logprobs', 'top_logprobs', 'modalities', 'audio', 'web_search_options', 'moderation'],
]

/** The rows, by id. */
export const services: Record<ServiceId, Service> = {
  openrouter: {
    title: 'OpenRouter',
    host: 'https://openrouter.ai',
    openai: '/api/v1',
    messages: '/api',
    also: ['responses'],
    read: ['https://openrouter.ai/docs/quickstart', 'https://www.developersdigest.tech/reference/api-compatibility/openrouter'],
  },
  deepseek: {
    title: 'DeepSeek',
    host: 'https://api.deepseek.com',
    openai: '',
    messages: '/anthropic',
    messagesAuth: 'x-api-key',
    // V4 requires its own reasoning to be sent back (github vercel/ai packages/deepseek).
    facts: { reasoningEchoed: true },
    read: ['https://api-docs.deepseek.com/', 'https://api-docs.deepseek.com/guides/anthropic_api/'],
  },
  // Its Messages endpoint is deprecated.
  xai: {
    title: 'xAI',
    host: 'https://api.x.ai',
    openai: '/v1',
    also: ['responses'],
    // It answers 400 `does not support parameter presencePenalty`, for every model.
    refuses: ['presence_penalty', 'frequency_penalty'],
    read: ['https://docs.x.ai/developers/model-capabilities/text/comparison', 'https://github.com/miaoxworld/NativeTavern/issues/83'],
  },
  mistral: {
    title: 'Mistral',
    host: 'https://api.mistral.ai',
    openai: '/v1',
    serves: ['embed', 'moderate', 'transcribe'],
    // It answers 422 `extra_forbidden` to every field that it does not know, and 400 to other ids of calls.
    refuses: openaiOnly,
    facts: { shortCallIds: true },
    read: [
      'https://docs.mistral.ai/resources/migration-guides.md',
      'https://docs.mistral.ai/api/',
      'https://github.com/Gitlawb/openclaude/issues/739',
      'https://github.com/nearai/ironclaw/issues/1241',
    ],
  },
  groq: {
    title: 'Groq',
    host: 'https://api.groq.com',
    openai: '/openai/v1',
    also: ['responses'],
    serves: ['transcribe', 'speak'],
    // It answers 400 `property ... is unsupported`.
    refuses: [
      'verbosity',
      'safety_identifier',
      'prompt_cache_key',
      'prompt_cache_retention',
      'prompt_cache_options',
      'store',
      'prediction',
    ],
    read: [
      'https://console.groq.com/docs/openai',
      'https://github.com/CherryHQ/cherry-studio/issues/11435',
      'https://github.com/fanenr/chatbot/issues/21',
    ],
  },
  together: {
    title: 'Together AI',
    host: 'https://api.together.ai',
    openai: '/v1',
    also: ['completions'],
    serves: ['embed', 'image', 'rerank', 'transcribe', 'speak'],
    read: ['https://docs.together.ai/docs/inference/openai-compatibility.md', 'https://docs.together.ai/docs/rerank-overview'],
  },
  fireworks: {
    title: 'Fireworks AI',
    host: 'https://api.fireworks.ai',
    openai: '/inference/v1',
    messages: '/inference',
    also: ['responses', 'completions'],
    serves: ['embed', 'rerank'],
    read: [
      'https://docs.fireworks.ai/guides/response-api',
      'https://docs.fireworks.ai/guides/querying-embeddings-models',
      'https://www.developersdigest.tech/reference/api-compatibility/fireworks',
    ],
  },
  perplexity: {
    title: 'Perplexity',
    host: 'https://api.perplexity.ai',
    openai: '',
    responses: '/v1',
    also: ['responses'],
    read: ['https://docs.perplexity.ai/docs/grounded-llm/openai-compatibility', 'github vercel/ai packages/perplexity'],
  },
  moonshot: {
    title: 'Moonshot AI (Kimi)',
    host: 'https://api.moonshot.ai',
    openai: '/v1',
    messages: '/anthropic',
    also: ['responses'],
    // github vercel/ai packages/moonshotai
    facts: { reasoningEchoed: true },
    read: ['https://platform.kimi.ai/docs/api/overview.md', 'https://www.developersdigest.tech/reference/api-compatibility/moonshot'],
  },
  // The same vendor on the mainland, with accounts of its own.
  'moonshot-cn': {
    title: 'Moonshot AI (Kimi, mainland)',
    host: 'https://api.moonshot.cn',
    openai: '/v1',
    facts: { reasoningEchoed: true },
    read: ['https://docs.litellm.ai/docs/providers/moonshot', 'https://docs.rs/crate/rig-core/0.42.0/source/src/providers/moonshot.rs'],
  },
  // Its Responses URL is only for subscribers of one plan.
  zai: {
    title: 'Z.ai (GLM)',
    host: 'https://api.z.ai',
    openai: '/api/paas/v4',
    messages: '/api/anthropic',
    facts: glmFacts,
    read: [
      'https://docs.z.ai/guides/develop/openai/python',
      'https://www.developersdigest.tech/reference/api-compatibility/zai',
      'https://java.agentscope.io/v2/en/integration/model/glm',
    ],
  },
  minimax: {
    title: 'MiniMax',
    host: 'https://api.minimax.io',
    openai: '/v1',
    messages: '/anthropic',
    also: ['responses'],
    read: ['https://www.developersdigest.tech/reference/api-compatibility/minimax'],
  },
  dashscope: {
    title: 'Alibaba Model Studio (Qwen)',
    host: 'https://dashscope-intl.aliyuncs.com',
    openai: '/compatible-mode/v1',
    serves: ['embed'],
    responses: '/api/v2/apps/protocols/compatible-mode/v1',
    messages: '/apps/anthropic',
    also: ['responses'],
    read: [
      'https://www.alibabacloud.com/help/doc-detail/2833609.html',
      'https://www.alibabacloud.com/help/en/model-studio/compatibility-with-openai-responses-api',
      'https://www.alibabacloud.com/help/en/model-studio/anthropic-api-messages',
    ],
  },
  // The Messages page names the path `/messages` under the same `/v1`.
  siliconflow: {
    title: 'SiliconFlow',
    host: 'https://api.siliconflow.com',
    openai: '/v1',
    messages: '',
    serves: ['embed', 'rerank', 'transcribe', 'speak'],
    read: [
      'https://www.siliconflow.com/blog/openai-sdk-siliconflow-compatibility-checks',
      'https://docs.siliconflow.cn/docs/api/messages-post',
    ],
  },
  volcengine: {
    title: 'Volcengine Ark (Doubao)',
    host: 'https://ark.cn-beijing.volces.com',
    openai: '/api/v3',
    also: ['responses'],
    read: ['https://cloudwego.io/docs/eino/ecosystem/chat_model/chat_model_ark', 'https://pypi.org/project/arkruntime/'],
  },
  cerebras: {
    title: 'Cerebras',
    host: 'https://api.cerebras.ai',
    openai: '/v1',
    read: ['github vercel/ai packages/cerebras'],
  },
  nvidia: {
    title: 'NVIDIA NIM',
    host: 'https://integrate.api.nvidia.com',
    openai: '/v1',
    serves: ['embed'],
    read: ['https://build.nvidia.com/'],
  },
  huggingface: {
    title: 'Hugging Face',
    host: 'https://router.huggingface.co',
    openai: '/v1',
    read: ['https://huggingface.co/inference/get-started'],
  },
  deepinfra: {
    title: 'DeepInfra',
    host: 'https://api.deepinfra.com',
    openai: '/v1/openai',
    serves: ['embed', 'image', 'transcribe', 'speak'],
    read: ['github vercel/ai packages/deepinfra', 'https://github.com/xyzs996/free-llm-api/discussions/4'],
  },
  novita: {
    title: 'Novita AI',
    host: 'https://api.novita.ai',
    openai: '/openai/v1',
    read: ['https://docs.openclaw.ai/providers/novita'],
  },
  vercel: {
    title: 'Vercel AI Gateway',
    host: 'https://ai-gateway.vercel.sh',
    openai: '/v1',
    messages: '',
    read: ['https://vercel.com/docs/ai-gateway/anthropic-compat', 'https://docs.litellm.ai/docs/providers/vercel_ai_gateway'],
  },
  sambanova: {
    title: 'SambaNova',
    host: 'https://api.sambanova.ai',
    openai: '/v1',
    serves: ['embed', 'transcribe'],
    read: ['https://docs.sambanova.ai/cloud/docs', 'https://docs.pipecat.ai/server/services/llm/sambanova'],
  },
  baseten: {
    title: 'Baseten',
    host: 'https://inference.baseten.co',
    openai: '/v1',
    read: ['https://ai-sdk.dev/providers/ai-sdk-providers/baseten'],
  },
  'github-models': {
    title: 'GitHub Models',
    host: 'https://models.github.ai',
    openai: '/inference',
    serves: ['embed'],
    read: ['https://github.com/github/codespaces-models/pull/28'],
  },
  hunyuan: {
    title: 'Tencent Hunyuan',
    host: 'https://api.hunyuan.cloud.tencent.com',
    openai: '/v1',
    serves: ['embed'],
    read: ['https://cloud.tencent.com/document/product/1729/111007', 'https://mvnrepository.com/artifact/io.github.tasure/sure-ai-hunyuan'],
  },
  // The same vendor as Z.ai on the mainland, with accounts of its own.
  zhipu: {
    title: 'Zhipu (GLM, mainland)',
    host: 'https://open.bigmodel.cn',
    openai: '/api/paas/v4',
    messages: '/api/anthropic',
    serves: ['embed'],
    facts: glmFacts,
    read: [
      'https://docs.bigmodel.cn/cn/guide/develop/openai/introduction',
      'https://docs.link-ai.tech/platform/maas/coding-plan',
      'https://java.agentscope.io/v2/en/integration/model/glm',
    ],
  },
  qianfan: {
    title: 'Baidu Qianfan',
    host: 'https://qianfan.baidubce.com',
    openai: '/v2',
    serves: ['embed', 'rerank'],
    read: [
      'https://cloud.baidu.com/doc/qianfan/s/rmh4stn9m',
      'https://raw.githubusercontent.com/juspay/neurolink/master/docs/getting-started/providers/baidu-qianfan.md',
      'https://github.com/spring-projects/spring-ai/issues/2253',
      'https://github.com/baidubce/bce-qianfan-sdk/pull/894',
    ],
  },
  // The key is the "API password" of the console.
  iflytek: {
    title: 'iFlytek Spark',
    host: 'https://spark-api-open.xf-yun.com',
    openai: '/v1',
    read: ['https://pypi.org/project/llama-index-llms-iflytek/', 'https://mvnrepository.com/artifact/io.github.tasure/sure-ai-spark'],
  },
  ...codingPlans,
  ...localServices,
}
