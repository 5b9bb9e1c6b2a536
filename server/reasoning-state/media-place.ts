/** Where media are, as far as it tells one from another: without what a signature adds to a URL, which is new each time. Pure. */
import type { MediaPart } from '#canonical/conversation'

/** Query parameters of URLs signed for AWS, Google Cloud, CloudFront, Azure, Alibaba, Tencent and Volcengine. */
const signing =
  /^(?:x-(?:amz|goog|oss|cos|tos)-.*|q-(?:sign-.*|ak|.*-time|signature|.*-list)|(?:aws|oss)accesskeyid|googleaccessid|signature|expires|policy|key-pair-id|(?:x-cos-)?security-token)$/i
/** The rest of those of Azure, which are too short to mean the same elsewhere. */
const signingOnAzure = /^(?:s[a-z]{1,4}|sig)$/

/** The place of a part: its URL, its id, or its content. */
export function placeOf({ source }: MediaPart): string {
  if ('url' in source) return unsigned(source.url)
  return 'data' in source ? source.data : 'text' in source ? source.text : source.fileId
}

function unsigned(url: string): string {
  const at = url.indexOf('?')
  if (at < 0 || url.startsWith('data:')) return url
  const fields = url.slice(at + 1).split('&')
  const isOnAzure = fields.some((field) => field.startsWith('sig='))
  const kept = fields.filter((field) => {
    const name = field.split('=', 1)[0] ?? ''
    return !signing.test(name) && !(isOnAzure && signingOnAzure.test(name))
  })
  return [url.slice(0, at), ...kept].join('?')
}
