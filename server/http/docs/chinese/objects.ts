/** Texts about objects in an upstream's account. */
import { deedOf, describedEndpoints, kindNames } from '../object-routes.ts'

const kinds: Readonly<Record<keyof typeof kindNames, string>> = {
  'vector-store': '向量存储',
  container: '容器',
  voice: '自定义声音',
  'voice-consent': '声音授权',
  skill: '技能',
  'cached-content': '缓存内容',
  'file-search-store': '文件搜索存储',
  'memory-store': '记忆存储',
  agent: '代理',
  environment: '代理环境',
  vault: '保管库',
}

const deeds: Readonly<Record<string, string>> = {
  'make one': '创建',
  'own ones': '自己的列表',
  'one of them': '单个',
  'change one': '修改',
  'delete one': '删除',
  'search in one': '在其中搜索',
  'add a file': '添加文件',
  'files of a batch': '一批中的文件',
  'files in one': '其中的文件',
  'one file': '单个文件',
  'change the metadata of a file': '修改文件的说明',
  'remove a file': '移除文件',
  'what is in a file': '文件的内容',
  'add several files': '添加多个文件',
  'progress of a batch of files': '一批文件的进度',
  'cancel a batch of files': '取消一批文件',
  'what is in a version': '版本的内容',
  'what is in one': '内容',
  'archive one': '归档',
  'add a memory': '添加记忆',
  'memories in one': '其中的记忆',
  'one memory': '单个记忆',
  'change a memory': '修改记忆',
  'delete a memory': '删除记忆',
  'versions of memories': '记忆的版本列表',
  'one version of a memory': '记忆的单个版本',
  'redact a version of a memory': '抹除记忆的一个版本',
  'add a credential': '添加凭据',
  'credentials in one': '其中的凭据',
  'one credential': '单个凭据',
  'change a credential': '修改凭据',
  'delete a credential': '删除凭据',
  'archive a credential': '归档凭据',
  'try a credential': '试用凭据',
  'add a version': '添加版本',
  'versions of one': '版本列表',
  'one version': '单个版本',
  'delete a version': '删除版本',
  'documents in one': '其中的文档',
  'one document': '单个文档',
  'delete a document': '删除文档',
  'how far an upload is': '上传的进度',
  'how far an import is': '导入的进度',
  'upload a file': '上传文件',
  'import a file': '导入文件',
}

const summaries = describedEndpoints.map((endpoint) => [
  `${kindNames[endpoint.kind]}: ${deedOf(endpoint)}`,
  `${kinds[endpoint.kind]}：${deeds[deedOf(endpoint)] ?? ''}`,
])

/** By the English text. */
export const objects: Readonly<Record<string, string>> = {
  ...Object.fromEntries(summaries),
  Objects: '上游账户中的对象',
  'Vector stores, containers, voices, skills, cached contents and file search stores: created in the account of one upstream, and accessible only to their owner.':
    '向量存储、容器、自定义声音、技能、缓存内容和文件搜索存储：创建于某个上游账户，其所有者之后在同一账户中找到它们；对其他人则不存在。',
  'In the account of one upstream, chosen among those channels of the key whose vendor has such objects. Later calls with its id go to the channel and key that created it, and so do requests that name it; no one else can see it.':
    '创建于某个上游账户，从该密钥可用且其供应商支持此类对象的渠道中选出。之后带有其 id 的调用以及引用它的请求都发往创建它的渠道和密钥；对其他人则不存在。',
  'Only objects created with keys of the same user or team.': '仅限同一用户或团队的密钥所创建的对象。',
  'In the account of one upstream that has the model. The tokens that it reports are charged as input of that model; the upstream’s storage fee is in the row. Requests that name it as `cachedContent` go to the channel and key that have it.':
    '创建于提供该模型的某个上游账户。上游报告的 token 按该模型的输入计费；与保存有关的数据记在日志行中。以 `cachedContent` 引用它的请求发往持有它的渠道和密钥。',
  'Resumable uploads: `X-Goog-Upload-Command: start` answers with an address in `X-Goog-Upload-URL`, which takes the parts, at most 26 MiB each. For a day it needs no key: it acts for the one that began the upload.':
    '可续传的上传：`X-Goog-Upload-Command: start` 的回答在 `X-Goog-Upload-URL` 中给出地址，由它接收各部分，每部分最多 26 MiB。一天内它无需密钥：它代表开始上传的密钥。',
  'A file stored in Parley is copied into the account, once; answers use Parley’s id for it.':
    'Parley 保存的文件会复制到该账户一次；回答中仍使用文件自己的 id。',
  'Only files of the same upstream account: upload others to the store itself.': '仅限同一上游账户的文件；其他文件请直接上传到存储。',
}
