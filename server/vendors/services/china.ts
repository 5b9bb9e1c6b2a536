/** Services of China, with their international and mainland URLs: rows as in `index.ts`. */
import { glmFacts } from '../models/copied.ts'
import type { Service } from './service.ts'

/** The rows, by id. */
export const chineseServices = {
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
    read: ['https://cloudwego.io/docs/eino/ecosystem/chat_model/chat_model_ark', 'package arkruntime (Python)'],
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
    read: ['package llama-index-llms-iflytek (Python)', 'package io.github.tasure:sure-ai-spark (Java)'],
  },
} satisfies Record<string, Service>
