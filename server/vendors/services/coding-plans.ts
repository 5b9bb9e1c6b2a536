/**
 * Coding subscriptions with URLs of their own; their keys work nowhere else, or only count against the plan there. Rows as in `index.ts`.
 */
import type { CodingPlanId } from '#shared/ids'
import { glmFacts } from '../models/copied.ts'
import type { Service } from './service.ts'

const linkai = 'https://docs.link-ai.tech/platform/maas/coding-plan'

/** The rows, by id. */
export const codingPlans: Record<CodingPlanId, Service> = {
  'zai-coding': {
    title: 'Z.ai coding plan',
    host: 'https://api.z.ai',
    openai: '/api/coding/paas/v4',
    messages: '/api/anthropic',
    facts: glmFacts,
    read: ['https://docs.z.ai/devpack/overview', linkai],
  },
  'zhipu-coding': {
    title: 'Zhipu coding plan (mainland)',
    host: 'https://open.bigmodel.cn',
    openai: '/api/coding/paas/v4',
    messages: '/api/anthropic',
    facts: glmFacts,
    read: [linkai],
  },
  'kimi-coding': {
    title: 'Kimi coding plan',
    host: 'https://api.kimi.com',
    openai: '/coding/v1',
    messages: '/coding',
    facts: { reasoningEchoed: true },
    read: [linkai, 'https://mastra.ai/models/providers/kimi-for-coding', 'https://github.com/katanemo/plano/pull/951'],
  },
  'dashscope-coding': {
    title: 'Alibaba coding plan',
    host: 'https://coding.dashscope.aliyuncs.com',
    openai: '/v1',
    messages: '/apps/anthropic',
    read: ['https://help.aliyun.com/zh/model-studio/other-tools-coding-plan'],
  },
  'volcengine-coding': {
    title: 'Volcengine Ark coding plan',
    host: 'https://ark.cn-beijing.volces.com',
    openai: '/api/coding/v3',
    messages: '/api/coding',
    read: [linkai, 'https://raw.githubusercontent.com/Agents365-ai/dsclaude/main/arkclaude'],
  },
}
