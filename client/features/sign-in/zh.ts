import type { en } from './en.ts'

/** Chinese messages of the sign-in page. */
export const zh: Record<keyof typeof en, string> = {
  title: '登录',
  intro: '一扇门，通向所有模型。',
  name: '用户名',
  password: '密码',
  submit: '登录',
  accounts: '此服务器的账号由管理员创建。',
  provider: '单点登录',
  or: '或',
  providerRefused: '身份提供方未能确认你的身份，请重试。',
  providerExpired: '登录用时过长，或是在另一个窗口中开始的。请重试。',
  providerDisabled: '此账号已停用，请联系此服务器的管理员。',
  providerUnavailable: '身份提供方没有响应，请稍后重试。',
  wrong: '用户名或密码错误。',
  tooMany: '尝试次数过多，请在 15 分钟后重试。',
  offline: '服务器没有响应。请检查网络后重试。',
  failed: '无法登录（{code}）。',
  illustration: '示意图：五种协议经由一个网关，到达五个模型服务',
}
