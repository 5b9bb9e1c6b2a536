import type { en } from './en.ts'

/** Chinese messages of the API reference. */
export const zh: Record<keyof typeof en, string> = {
  title: 'API 文档',
  contents: '目录',
  search: '搜索文档',
  nothing: '没有与“{text}”匹配的内容。',
  version: '版本 {version}',
  signIn: '登录',
  yourKey: '你的密钥',
  body: '请求体',
  answer: '回答',
  field: '字段',
  type: '类型',
  means: '含义',
  required: '必填',
  samples: '示例',
  tryIt: '试一试',
  tryWhy: '与任何请求一样计入该密钥的花费。密钥只留在此页。',
  key: 'API 密钥',
  request: '请求体',
  send: '发送',
  stop: '停止',
  result: '{path} 的回答',
  status: '{status}，{ms} 毫秒',
  first: '首字节 {ms} 毫秒',
  badJson: '请求体不是有效的 JSON。',
}
