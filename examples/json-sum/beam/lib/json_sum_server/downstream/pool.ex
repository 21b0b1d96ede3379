defmodule JsonSumServer.Downstream.Pool do
  @moduledoc """
  Connections to the service behind this one: the one that was used last is used next.

  A connection belongs to this process while nobody uses it, and to its user meanwhile. So one whose user is killed is closed.
  """

  use GenServer

  alias JsonSumServer.Downstream
  alias JsonSumServer.Downstream.Exchange

  # Between two looks for old connections, in milliseconds.
  @often 500

  def connect(%{url: url, timeout: timeout}) do
    %{host: host, port: port, path: path} = URI.parse(url)
    address = {address(host), port}
    head = Exchange.head("#{path}/process", "#{host}:#{port}")

    post = fn sum ->
      deadline = System.monotonic_time(:millisecond) + timeout

      with {:ok, socket} <- take(address, deadline) do
        case Exchange.post(socket, head, ~s({"sum":#{sum}}), deadline) do
          {:ok, status, :keep} ->
            give(socket)
            {:ok, status}

          {:ok, status, :close} ->
            :gen_tcp.close(socket)
            {:ok, status}

          {:error, reason} ->
            :gen_tcp.close(socket)
            {:error, reason}
        end
      end
    end

    {post, %{id: __MODULE__, start: {__MODULE__, :start_link, []}}}
  end

  defp address(host) do
    name = host |> String.trim_leading("[") |> String.trim_trailing("]") |> String.to_charlist()

    case :inet.parse_address(name) do
      {:ok, address} -> address
      {:error, _} -> name
    end
  end

  def start_link, do: GenServer.start_link(__MODULE__, nil, name: __MODULE__)

  defp take({host, port}, deadline) do
    case GenServer.call(__MODULE__, :take, :infinity) do
      {:ok, socket} ->
        {:ok, socket}

      :none ->
        family = if is_tuple(host) and tuple_size(host) == 8, do: [:inet6], else: []
        options = family ++ [:binary, active: false, nodelay: true, packet: :http_bin]
        :gen_tcp.connect(host, port, options, Exchange.left(deadline))
    end
  end

  defp give(socket) do
    case :gen_tcp.controlling_process(socket, Process.whereis(__MODULE__)) do
      :ok -> GenServer.cast(__MODULE__, {:give, socket})
      {:error, _} -> :gen_tcp.close(socket)
    end
  end

  # Idle connections with when they were given back, the last one first.
  @impl true
  def init(_), do: {:ok, [], {:continue, :watch}}

  @impl true
  def handle_continue(:watch, idle) do
    Process.send_after(self(), :close_old, @often)
    {:noreply, idle}
  end

  @impl true
  def handle_call(:take, _, []), do: {:reply, :none, []}

  def handle_call(:take, {caller, _} = from, [{socket, _} | idle]) do
    # Whoever has closed it has said so, or has sent what nobody asked for.
    with :ok <- :inet.setopts(socket, active: false),
         false <- told?(socket),
         :ok <- :gen_tcp.controlling_process(socket, caller) do
      {:reply, {:ok, socket}, idle}
    else
      _ ->
        :gen_tcp.close(socket)
        handle_call(:take, from, idle)
    end
  end

  @impl true
  def handle_cast({:give, socket}, idle) do
    case :inet.setopts(socket, active: :once, packet: :http_bin) do
      :ok ->
        {:noreply, [{socket, System.monotonic_time(:millisecond)} | idle]}

      {:error, _} ->
        :gen_tcp.close(socket)
        {:noreply, idle}
    end
  end

  @impl true
  def handle_info(:close_old, idle) do
    limit = System.monotonic_time(:millisecond) - Downstream.idle()
    {kept, old} = Enum.split_while(idle, fn {_, since} -> since > limit end)
    for {socket, _} <- old, do: :gen_tcp.close(socket)
    {:noreply, kept, {:continue, :watch}}
  end

  # Closed by the other side, or it says something unasked.
  def handle_info(message, idle) when is_tuple(message) and tuple_size(message) >= 2 do
    {gone, kept} = Enum.split_with(idle, fn {socket, _} -> socket == elem(message, 1) end)
    for {socket, _} <- gone, do: :gen_tcp.close(socket)
    {:noreply, kept}
  end

  def handle_info(_, idle), do: {:noreply, idle}

  defp told?(socket) do
    receive do
      message when is_tuple(message) and tuple_size(message) >= 2 and elem(message, 1) == socket -> true
    after
      0 -> false
    end
  end
end
