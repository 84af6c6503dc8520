/** The methods of grammy's `Api` that are used, without its polyfilled types. */
export interface TelegramApi {
  sendRichMessage(to: string, message: object, other?: object, signal?: object): Promise<Sent>;
  sendMessage(to: string, text: string, other?: object, signal?: object): Promise<Sent>;
  editMessageText(
    to: string,
    id: number,
    text: string,
    other?: object,
    signal?: object,
  ): Promise<unknown>;
  getUpdates(other?: object, signal?: object): Promise<readonly unknown[]>;
  answerCallbackQuery(id: string, other?: object, signal?: object): Promise<unknown>;
  editMessageReplyMarkup(to: string, id: number, other?: object, signal?: object): Promise<unknown>;
}

export interface Sent {
  readonly message_id: number;
}
