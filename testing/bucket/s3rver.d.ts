/** The types that the tests need of the server, which ships none. */
declare module '@20minutes/s3rver' {
  // biome-ignore lint/style/noDefaultExport: the module has one.
  export default class S3Server {
    constructor(options: {
      port: number
      address: string
      silent: boolean
      directory: string
      configureBuckets: { name: string; configs: string[] }[]
    })
    run(): Promise<{ port: number }>
    close(): Promise<void>
  }
}
