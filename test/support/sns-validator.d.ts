declare module 'sns-validator' {
  /** Amazon's own check of messages; fetches the certificate with `https.get`. */
  export default class MessageValidator {
    validate(message: string, done: (error: Error | null, message?: object) => void): void;
  }
}
